"""HTTP API of the service."""

from service.api import auth, avatars, errors
from service.api.errors import ERRORS_BY_STATUS
from service.api.operations import Operation
from service.api.requests import IDEMPOTENCY_KEY_PATTERN, reject_nul
from service.api.response_headers import REQUEST_ID_HEADER, add_response_headers
from service.api.schemas import ErrorResponse, Event

__all__ = [
    "ERRORS_BY_STATUS",
    "IDEMPOTENCY_KEY_PATTERN",
    "REQUEST_ID_HEADER",
    "ErrorResponse",
    "Event",
    "Operation",
    "add_response_headers",
    "auth",
    "avatars",
    "errors",
    "reject_nul",
]
