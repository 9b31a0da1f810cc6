"""The seven endpoints, in the order of the document, and our extensions beside their kin."""

from service.api.routes import twins  # isort: skip
from service.api.routes import conversations  # isort: skip
from service.api.routes import messages  # isort: skip
from service.api.routes import keys  # isort: skip
from service.api.blueprint import bp, operations

__all__ = ["bp", "conversations", "keys", "messages", "operations", "twins"]
