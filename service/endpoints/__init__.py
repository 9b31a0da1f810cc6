"""The seven endpoints, in the order of the document, and our extensions beside their kin."""

from service.endpoints import twins  # isort: skip
from service.endpoints import conversations  # isort: skip
from service.endpoints import messages  # isort: skip
from service.endpoints import keys  # isort: skip
from service.endpoints.api import bp, operations

__all__ = ["bp", "conversations", "keys", "messages", "operations", "twins"]
