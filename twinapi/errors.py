"""Errors of the client: a class for the program, a sentence for a person.

TwinApiError
├── ConnectionFailed        no connection, or no response in time
├── AvatarUnavailable       an avatar that cannot be fetched, or is no image
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

from core.languages import N_, SentenceTemplate, with_full_stop

REJECTED_WITH_REASON = SentenceTemplate(N_("The service did not accept the message: %(said)s"))


class TwinApiError(Exception):
    """Base class of the errors of the client; `sentence` is the message for a person.

    `perhaps_received` says that the service may have received the message anyway.
    """

    sentence = N_("The service could not be used.")
    perhaps_received = True

    def __init__(self, sentence: str | None = None) -> None:
        self.sentence = sentence or self.sentence
        super().__init__(self.sentence)


class ConnectionFailed(TwinApiError):
    """Raised when there was no response."""

    sentence = N_("The service cannot be reached.")
    perhaps_received = False

    def __init__(self, sentence: str | None = None, *, perhaps_received: bool = False) -> None:
        super().__init__(sentence)
        self.perhaps_received = perhaps_received


class AvatarUnavailable(TwinApiError):
    """Raised when an avatar cannot be fetched; the sentence is for the operator's log."""


class ApiError(TwinApiError):
    """Raised for a response other than 2xx; `detail` is the service's own plain text, or ""."""

    perhaps_received = False

    def __init__(self, status: int, detail: str = "", sentence: str | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.detail = detail


class Unauthorized(ApiError):
    """Raised when the service rejects the key."""

    sentence = N_("The portal's access to the service was refused. Please tell the operator.")


class Forbidden(ApiError):
    """Raised when the key lacks the permission for a call."""

    sentence = N_("The portal's key may only read. Please tell the operator.")


class NotFound(ApiError):
    """Raised when the resource does not exist, or is hidden from the key."""

    sentence = N_("This is no longer there at the service.")


class Conflict(ApiError):
    """Raised when the conversation has another reply in progress."""

    sentence = N_(
        "Another reply is in progress in this conversation. Wait a moment, then try again."
    )


class InvalidRequest(ApiError):
    """Raised when the service rejects the content of the request."""

    sentence = N_("The service did not accept the message.")

    def __init__(self, status: int, detail: str = "", sentence: str | None = None) -> None:
        if detail and not sentence:
            sentence = REJECTED_WITH_REASON.format(said=with_full_stop(detail))
        super().__init__(status, detail, sentence)


class RateLimited(ApiError):
    """Raised when there were too many requests.

    `retry_after` is the number of seconds to wait, None if the service does not announce it.
    """

    sentence = N_("The service has had too many requests for now.")

    def __init__(self, status: int, detail: str = "", *, retry_after: float | None) -> None:
        super().__init__(status, detail)
        self.retry_after = retry_after


class ServiceFailed(ApiError):
    """Raised when the service reports an internal error."""

    sentence = N_("The service has a problem at the moment.")
    perhaps_received = True


class UnexpectedResponse(ApiError):
    """Raised for a response that the interface does not define."""

    sentence = N_("The service gave an unexpected answer. Please tell the operator.")
    perhaps_received = True


class StreamError(TwinApiError):
    """Base class of the errors while a reply is read."""


class StreamInterrupted(StreamError):
    """Raised when a reply ends without a final event, or times out."""

    sentence = N_("The reply was cut off. What came so far is kept.")


class StreamTooLarge(StreamError):
    """Raised when a reply exceeds a size limit."""

    sentence = N_("The reply is too long to be shown.")
