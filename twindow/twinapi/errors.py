"""Errors of the client, each with a code and parameters for the message that people see.

TwinApiError
├── ConnectionFailed        no connection, or no complete response in time
├── ApiError                a response other than 2xx: its status and detail
│   ├── Unauthorized        401
│   ├── Forbidden           403
│   ├── NotFound            404
│   ├── Conflict            409
│   ├── InvalidRequest      400, 413, 415, 422
│   ├── RateLimited         429, 503 with Retry-After: retry_after in seconds, if known
│   ├── ServiceFailed       5xx
│   └── UnexpectedResponse  anything else, including redirects and HTML pages
└── StreamError
    ├── StreamInterrupted   the stream ended without a final event, or was silent too long
    └── StreamTooLarge      a line, an event or the whole reply exceeds its limit
"""

from __future__ import annotations

# The log has at most so much of the detail of an error.
MAX_DETAIL_CHARACTERS = 300


class TwinApiError(Exception):
    """Base class of the errors of the client.

    `code` identifies the message that people see (twindow/web/i18n/service_messages.py), and
    `params` are the values in this message. `detail` is the cause in the words of the service or of
    the network, for the log, or "". `perhaps_received` is True if the service may have received the
    person's message despite the error.
    """

    code = "service_unusable"
    perhaps_received = True

    def __init__(self, code: str | None = None, detail: str = "", **params: str) -> None:
        self.code = code or self.code
        self.detail = detail
        self.params = params
        super().__init__(code, detail)

    def __str__(self) -> str:
        """Return the text for the log, without `params`: they may repeat a person's message."""
        return ": ".join(filter(None, (self.code, self.detail[:MAX_DETAIL_CHARACTERS])))


class ConnectionFailed(TwinApiError):
    """Raised when there is no complete response."""

    code = "not_connected"
    perhaps_received = False

    def __init__(
        self, code: str | None = None, detail: str = "", *, perhaps_received: bool = False
    ) -> None:
        super().__init__(code, detail)
        self.perhaps_received = perhaps_received


class ApiError(TwinApiError):
    """Raised for a response other than 2xx."""

    perhaps_received = False

    def __init__(
        self, status: int, detail: str = "", code: str | None = None, **params: str
    ) -> None:
        super().__init__(code, detail, **params)
        self.status = status

    def __str__(self) -> str:
        """Return the text for the log."""
        text = f"{self.code} (status {self.status})"
        return ": ".join(filter(None, (text, self.detail[:MAX_DETAIL_CHARACTERS])))


class Unauthorized(ApiError):
    """Raised when the service rejects the key."""

    code = "unauthorized"


class Forbidden(ApiError):
    """Raised when the key lacks the permission for a call."""

    code = "forbidden"


class NotFound(ApiError):
    """Raised when the resource does not exist, or is hidden from the key."""

    code = "not_found"


class Conflict(ApiError):
    """Raised when the conversation has a reply in progress, perhaps that to the same message.

    `retry_after` is the number of seconds to wait, and a DELETE at `cancel_url` stops the reply;
    each is None if the service does not announce it.
    """

    code = "conflict"

    def __init__(
        self,
        status: int,
        detail: str = "",
        *,
        retry_after: float | None = None,
        cancel_url: str | None = None,
    ) -> None:
        super().__init__(status, detail)
        self.retry_after = retry_after
        self.cancel_url = cancel_url


class InvalidRequest(ApiError):
    """Raised when the service rejects the content of the request."""

    code = "rejected"

    def __init__(self, status: int, detail: str = "") -> None:
        # Markup and long texts are for developers.
        if detail and "<" not in detail and len(detail) <= MAX_DETAIL_CHARACTERS:
            super().__init__(status, detail, "rejected_with_reason", reason=detail)
        else:
            super().__init__(status, detail)


class RateLimited(ApiError):
    """Raised when there were too many requests.

    `retry_after` is the number of seconds to wait, None if the service does not announce it.
    """

    code = "rate_limited"

    def __init__(self, status: int, detail: str = "", *, retry_after: float | None) -> None:
        super().__init__(status, detail)
        self.retry_after = retry_after


class ServiceFailed(ApiError):
    """Raised when the service reports an internal error."""

    code = "service_failed"
    perhaps_received = True


class UnexpectedResponse(ApiError):
    """Raised for a response that the interface does not define."""

    code = "unexpected_response"
    perhaps_received = True


class StreamError(TwinApiError):
    """Base class of errors that occur while a reply is read."""


class StreamInterrupted(StreamError):
    """Raised when a reply ends without a final event, or times out."""

    code = "stream_interrupted"


class StreamTooLarge(StreamError):
    """Raised when a reply exceeds a size limit."""

    code = "stream_too_large"
