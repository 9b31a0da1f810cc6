"""Rejected messages: shown again with the reason, and saved as drafts in the session."""

from __future__ import annotations

from typing import Any

from flask import request, session

from core.languages import N_
from web.container import portal

# Statuses whose notice becomes obsolete when the text changes: too long, or blank or invalid.
CONTENT_ERRORS = (413, 422)
# Saved drafts hold at most this many times the message limit together.
PARTS = 4
# Maximum number of saved drafts.
REMEMBERED = 8
MAX_ID = 64
NOT_SENT = N_("Your message was not sent; it is still here.")


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


def rejected_composer(rejected: RejectedMessage) -> dict[str, Any]:
    """Return the template values that show a rejected message in the composer.

    The text is included only if the composer, or a button that starts a conversation, sent it:
    the text that a Retry button sends again is already on the page.
    """
    shown: dict[str, Any] = {"notice": rejected.sentence}
    if "composer" in request.form or "begins" in request.form:
        shown |= {
            "content": rejected.content,
            "edited_turn_id": edited_turn_id(),
            "is_saved_draft": False,
        }
        shown["is_content_error"] = rejected.status in CONTENT_ERRORS
    return shown | ({"retry_at": rejected.retry_at} if rejected.retry_at else {})


def edited_turn_id() -> str:
    """Return the id of the turn being edited in the submitted form, or ""."""
    return request.form.get("edited", "").replace("\0", "")[:MAX_ID]


def first_message_draft(twin_id: str) -> str:
    """Return the draft key of the first message to a twin. Conversations use their id as key."""
    return f"twin {twin_id}"


def edit_draft(turn_id: str) -> str:
    """Return the draft key of the edited message of a turn."""
    return f"edit {turn_id}"


def save_draft(place: str, content: str) -> None:
    """Save a rejected message under a draft key in the session.

    Without JavaScript every further step loads another page, which would lose the text.

    Sessions are read with each request, so drafts are limited: all together hold at most `PARTS`
    messages of maximum length. A longer message is not saved, and the oldest drafts are discarded
    first. A button that starts a conversation with the text of an earlier one does not replace an
    existing draft.
    """
    takes_place = "composer" in request.form or ("begins" in request.form and not kept(place))
    if not (takes_place and content.strip()):
        return
    place = edit_draft(edited_turn_id()) if edited_turn_id() else place
    room = PARTS * portal().settings.message_limit
    if len(content) > room:
        return
    others = session.get("kept", {})
    others.pop(place, None)
    words = [*others.items(), (place, content)][-REMEMBERED:]
    while sum(len(kept) for _, kept in words) > room:
        words.pop(0)
    session["kept"] = dict(words)


def kept(place: str) -> str:
    """Return the saved draft of a key, or ""."""
    return str(session.get("kept", {}).get(place, ""))


def discard_sent_draft(place: str, content: str) -> None:
    """Discard the draft that was sent, or that the composer showed before other text was sent."""
    place = edit_draft(edited_turn_id()) if edited_turn_id() else place
    if "held" in request.form or kept(place) == content:
        discard_draft(place)


def discard_draft(place: str) -> None:
    """Discard the draft of a key, if there is one."""
    if kept(place):
        session["kept"] = {
            other: words for other, words in session["kept"].items() if other != place
        }
