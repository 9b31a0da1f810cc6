"""Routes: the seven endpoints of the interface document, in its order, and extensions."""

from service.api.routes import twins  # isort: skip
from service.api.routes import conversations  # isort: skip
from service.api.routes import messages  # isort: skip
from service.api.routes import keys  # isort: skip
from service.api.blueprint import bp, operations

__all__ = ["bp", "conversations", "keys", "messages", "operations", "twins"]
