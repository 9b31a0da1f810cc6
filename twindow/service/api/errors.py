"""Error responses of the form {"error": sentence, "code": code, "details": [...]}."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

import msgspec
from flask import Flask, Response, request
from werkzeug.exceptions import HTTPException

from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.server import logs
from twindow.service.api.response_headers import request_id
from twindow.service.api.schemas import ErrorDetail, ErrorResponse
from twindow.service.interface_types import ErrorCode

logger = logging.getLogger(__name__)

# The longest valid message takes 384,000 bytes: 32,000 characters beyond the BMP, each written as
# two JSON escapes.
MAX_BODY_BYTES = 512 * 1024

# Codes and default sentences by status. The first code of a status is its default.
ERRORS_BY_STATUS: Mapping[int, Mapping[ErrorCode, str]] = {
    400: {
        "bad_request": "The request is malformed.",
        "bad_json": "The body is not valid JSON.",
        "two_keys": "Authorization and X-API-Key contain different keys.",
        "invalid": "A parameter or header is invalid.",
    },
    401: {"unauthorized": "The API key or JWT is missing or invalid."},
    403: {"forbidden": "The key doesn't have permission for this request."},
    404: {"not_found": "The resource doesn't exist, or you don't have access to it."},
    405: {"method_not_allowed": "The method is not allowed for this URL."},
    409: {
        "still_replying": "A reply is in progress in this conversation. Wait until it ends.",
        "stopped": "The reply was stopped.",
        "too_many_keys": "You have reached the maximum number of keys. Revoke one first.",
    },
    413: {
        "too_large": f"The body is larger than {MAX_BODY_BYTES // 1024} KiB.",
        "too_long": "The message is too long for this model. Try a shorter one.",
    },
    415: {"unsupported_media_type": "Send the body as Content-Type: application/json."},
    422: {
        "invalid": "A field is missing or invalid.",
        "idempotency_key_reused": "This Idempotency-Key was already used for another request.",
    },
    429: {"rate_limited": "The key has reached its hourly limit."},
    500: {"internal_error": "Something went wrong in the service."},
    502: {"model_failed": "The model didn't reply, or its reply was interrupted."},
    503: {
        "unavailable": "The service is temporarily unavailable. Try again soon.",
        "restarting": "The service is restarting. Try again in a few seconds.",
        "model_busy": "The model is busy. Try again in a minute.",
    },
}
DEFAULT_ERRORS = {status: next(iter(codes.items())) for status, codes in ERRORS_BY_STATUS.items()}
# Use `STATUS_BY_CODE` only for codes that occur with one status: "invalid" occurs with two.
STATUS_BY_CODE = {code: status for status, codes in ERRORS_BY_STATUS.items() for code in codes}


class ApiError(Exception):
    """An error response. An empty `sentence` stands for the default sentence of the code.

    `details` are pairs of field and reason.
    """

    def __init__(
        self,
        status: int,
        code: ErrorCode,
        sentence: str = "",
        *,
        details: Sequence[tuple[str, str]] = (),
        headers: Mapping[str, str] | None = None,
    ) -> None:
        self.status = status
        self.code = code
        self.sentence = sentence or ERRORS_BY_STATUS[status][code]
        super().__init__(self.sentence)
        self.details = details
        self.headers = headers or {}

    def to_response(self) -> Response:
        """Return the JSON response."""
        details = [ErrorDetail(field=field, reason=reason) for field, reason in self.details]
        body = ErrorResponse(error=self.sentence, code=self.code, details=details)
        response = Response(msgspec.json.encode(body), self.status, mimetype="application/json")
        response.headers.update(self.headers)
        return response


def not_found_error() -> ApiError:
    """Return the 404 error, the same for missing objects and for those of other people."""
    return ApiError(404, *DEFAULT_ERRORS[404])


def init_app(app: Flask) -> None:
    """Register error handlers, so that every error has a JSON response."""
    logs.init_app(app, request_id)
    app.register_error_handler(ApiError, ApiError.to_response)
    app.register_error_handler(HTTPException, _handle_http_exception)
    app.register_error_handler(DatabaseUnavailable, _handle_database_unavailable)
    app.register_error_handler(Exception, _handle_unexpected_error)


def _handle_http_exception(error: HTTPException) -> Response:
    status = error.code or 500
    code, sentence = DEFAULT_ERRORS.get(status, DEFAULT_ERRORS[400])
    headers = {"Allow": error.get_response().headers["Allow"]} if status == 405 else {}
    return ApiError(status, code, sentence, headers=headers).to_response()


def _handle_database_unavailable(_error: DatabaseUnavailable) -> Response:
    sentence = "The service can't store anything right now. Try again soon."
    return ApiError(503, "unavailable", sentence, headers={"Retry-After": "1"}).to_response()


def _handle_unexpected_error(error: Exception) -> Response:
    values = request_id(), request.method, logs.printable_path(request.path)
    logger.error("request %s: %s %s", *values, exc_info=error)
    return ApiError(500, *DEFAULT_ERRORS[500]).to_response()
