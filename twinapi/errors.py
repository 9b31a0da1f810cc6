"""What can go wrong at the service: a class for the program, a sentence for a person.

TwinApiError
├── ConnectionFailed        no connection, or no answer in time
├── AvatarUnavailable       an avatar that is not fetched, or is no image
├── ApiError                an answer that is not a yes: status and what it said
│   ├── Unauthorized        401
│   ├── Forbidden           403
│   ├── NotFound            404
│   ├── Conflict            409
│   ├── InvalidRequest      400, 413, 415, 422
│   ├── RateLimited         429, 503 with Retry-After: retry_after in seconds, if it is known
│   ├── ServiceFailed       5xx
│   └── UnexpectedResponse  anything else, redirects and pages of HTML among it
└── StreamError
    ├── StreamInterrupted   the stream ended without an end, or was quiet for too long
    └── StreamTooLarge      one line, one event or the whole reply is over its bound
"""

from __future__ import annotations

from core.languages import N_, SentenceTemplate, with_full_stop

REJECTED_WITH_REASON = SentenceTemplate(N_("The service did not accept the message: %(said)s"))


class TwinApiError(Exception):
    """Tell in `sentence` what a person should know.

    `perhaps_received` says that the service may have the message all the same.
    """

    sentence = N_("The service could not be used.")
    perhaps_received = True

    def __init__(self, sentence: str | None = None) -> None:
        self.sentence = sentence or self.sentence
        super().__init__(self.sentence)


class ConnectionFailed(TwinApiError):
    """Raised when there was no answer."""

    sentence = N_("The service cannot be reached.")
    perhaps_received = False

    def __init__(self, sentence: str | None = None, *, perhaps_received: bool = False) -> None:
        super().__init__(sentence)
        self.perhaps_received = perhaps_received


class AvatarUnavailable(TwinApiError):
    """Raised for a picture that is not fetched; the sentence is for the operator's log."""


class ApiError(TwinApiError):
    """Raised for an answer that is not a yes. `said` is the service's own plain words, or ""."""

    perhaps_received = False

    def __init__(self, status: int, detail: str = "", sentence: str | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.detail = detail


class Unauthorized(ApiError):
    """Raised when the service refuses the key."""

    sentence = N_("The portal's access to the service was refused. Please tell the operator.")


class Forbidden(ApiError):
    """Raised when the key may not do this."""

    sentence = N_("The portal's key may only read. Please tell the operator.")


class NotFound(ApiError):
    """Raised when the service has no such thing, or does not show it."""

    sentence = N_("This is no longer there at the service.")


class Conflict(ApiError):
    """Raised when the conversation is busy."""

    sentence = N_(
        "Another reply is in progress in this conversation. Wait a moment, then try again."
    )


class InvalidRequest(ApiError):
    """Raised when the service does not accept what was sent."""

    sentence = N_("The service did not accept the message.")

    def __init__(self, status: int, detail: str = "", sentence: str | None = None) -> None:
        if detail and not sentence:
            sentence = REJECTED_WITH_REASON.format(said=with_full_stop(detail))
        super().__init__(status, detail, sentence)


class RateLimited(ApiError):
    """Raised when too much was asked; `retry_after` says in how many seconds to come back.

    None where the service does not say.
    """

    sentence = N_("The service has had too many requests for now.")

    def __init__(self, status: int, detail: str = "", *, retry_after: float | None) -> None:
        super().__init__(status, detail)
        self.retry_after = retry_after


class ServiceFailed(ApiError):
    """Raised when the service says that it failed."""

    sentence = N_("The service has a problem at the moment.")
    perhaps_received = True


class UnexpectedResponse(ApiError):
    """Raised for an answer that the interface does not know."""

    sentence = N_("The service gave an unexpected answer. Please tell the operator.")
    perhaps_received = True


class StreamError(TwinApiError):
    """Raised while a reply is read."""


class StreamInterrupted(StreamError):
    """Raised when a reply ends without an end."""

    sentence = N_("The reply was cut off. What came so far is kept.")


class StreamTooLarge(StreamError):
    """Raised when a reply goes over its bounds."""

    sentence = N_("The reply is too long to be shown.")
