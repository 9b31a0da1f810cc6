"""HTTP API of the service."""

from twindow.service.api import auth, avatars, errors
from twindow.service.api.operations import Operation
from twindow.service.api.requests import IDEMPOTENCY_KEY_PATTERN, reject_nul
from twindow.service.api.response_headers import add_response_headers
from twindow.service.api.schemas import ErrorResponse, Event

__all__ = [
    "IDEMPOTENCY_KEY_PATTERN",
    "ErrorResponse",
    "Event",
    "Operation",
    "add_response_headers",
    "auth",
    "avatars",
    "errors",
    "reject_nul",
]
