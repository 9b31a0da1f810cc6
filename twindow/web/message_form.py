"""Reading and validation of the message form."""

from __future__ import annotations

import math
import secrets

from flask import Response, request

from twindow.chat.submissions import SubmittedMessage
from twindow.core.languages import N_
from twindow.web.container import portal
from twindow.web.i18n import format_number, gettext
from twindow.web.person.ownership import find_turn

# The interface document allows as many.
MAX_MESSAGE_CHARACTERS = 32_000
MAX_IDEMPOTENCY_KEY_CHARACTERS = 64
MAX_TURN_ID_CHARACTERS = 64
# Another text might be accepted after these statuses: 413 (too long), 422 (blank or invalid).
CONTENT_ERRORS = (413, 422)

NOT_SENT = N_("Your message wasn't sent. It's still here.")


class RejectedMessage(Exception):
    """Raised for a message that cannot be sent.

    `content` is the submitted text, `status` the HTTP status of the response. `retry_at` is the
    time when sending may be tried again, in seconds since the epoch, or None if unknown.
    """

    def __init__(
        self, sentence: str, status: int, content: str, retry_at: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.content = content
        self.retry_at = retry_at

    @property
    def is_content_error(self) -> bool:
        """Return whether the person might correct the error by changing the text."""
        return self.status in CONTENT_ERRORS


def add_retry_after(response: Response, rejection: RejectedMessage) -> Response:
    """Tell programs, too, when sending may be tried again."""
    if rejection.retry_at is not None:
        seconds = max(0, math.ceil(rejection.retry_at - portal().clock.time()))
        response.headers["Retry-After"] = str(seconds)
    return response


def read_message() -> SubmittedMessage:
    """Read the message of this request.

    Raises RejectedMessage when the message is blank, too long or contains NUL.
    """
    # Browsers submit line breaks as CRLF; they count as one character.
    content = request.form.get("content", "").replace("\r\n", "\n") or turn_content(
        submitted_turn_id("turn")
    )
    limit = MAX_MESSAGE_CHARACTERS
    if not content.strip():
        raise RejectedMessage(
            gettext("Your message is empty. Write something first."), 422, content
        )
    if len(content) > limit:
        sentence = gettext(
            "Your message is too long (%(length)s of %(limit)s characters) and wasn't sent.",
            length=format_number(len(content)),
            limit=format_number(limit),
        )
        raise RejectedMessage(sentence, 413, content)
    if "\0" in content:
        sentence = gettext("Your message contains a NUL character and wasn't sent.")
        raise RejectedMessage(sentence, 422, content)
    return SubmittedMessage(
        content,
        submitted_idempotency_key() or new_idempotency_key(),
        replaced_turn_id=submitted_turn_id("replaces"),
        followed_turn_id=submitted_turn_id("follows"),
    )


def submitted_idempotency_key() -> str:
    """Return the idempotency key of the submitted form, or ""."""
    idempotency_key = request.form.get("idempotency_key", "").replace("\0", "")
    return idempotency_key[:MAX_IDEMPOTENCY_KEY_CHARACTERS]


def turn_content(turn_id: str) -> str:
    """Return the message of the person's turn with this id, or ""."""
    turn = find_turn(turn_id)
    return turn.content if turn else ""


def is_from_composer() -> bool:
    """Return whether the composer sent the form, and not a button such as "Try again"."""
    return "composer" in request.form


def new_idempotency_key() -> str:
    """Return a new random idempotency key for one form."""
    return secrets.token_urlsafe(16)


def submitted_turn_id(field: str) -> str:
    """Return the id of a turn in a field of the submitted form, or ""."""
    return request.form.get(field, "").replace("\0", "")[:MAX_TURN_ID_CHARACTERS]
