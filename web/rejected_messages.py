"""Words that were not sent: given back with a sentence, and kept where another page comes first."""

from __future__ import annotations

from typing import Any

from flask import request, session

from core.languages import N_
from web.container import portal

# Empty, or too long: what is said of them is over when the words are others.
CONTENT_ERRORS = (413, 422)
PARTS = 4
# In so many places words are kept.
REMEMBERED = 8
MAX_ID = 64
NOT_SENT = N_("Your message was not sent; it is still here.")


class RejectedMessage(Exception):
    """Raised for a message that cannot be sent; `content` gives the words back.

    `until` says when it may be tried again, in seconds since the epoch, if that is known.
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
    """Return what the composer is shown by after a refusal.

    What a button repeats stands on the page; in the composer are the words that stood there.
    """
    shown: dict[str, Any] = {"notice": rejected.sentence}
    if "composer" in request.form or "begins" in request.form:
        shown |= {"content": rejected.content, "copied": edited_turn_id(), "kept": False}
        shown["until_changed"] = rejected.status in CONTENT_ERRORS
    return shown | ({"until": rejected.retry_at} if rejected.retry_at else {})


def edited_turn_id() -> str:
    """Return which turn's words the composer held that sent this form, "" for words of its own."""
    return request.form.get("edited", "").replace("\0", "")[:MAX_ID]


def first_message_draft(twin_id: str) -> str:
    """Return the place of first words to a twin; a conversation is one by its id."""
    return f"twin {twin_id}"


def edit_draft(turn_id: str) -> str:
    """Return the place of what became of a turn's words."""
    return f"edit {turn_id}"


def save_draft(place: str, content: str) -> None:
    """Keep words that were refused: without scripts, every way on leads to another page.

    What could be sent in no few parts is only given back, and of several places the newest
    are kept that come to no more: a session is read with each request. A button that begins a
    conversation elsewhere with words of an earlier one takes the place of none.
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
    """Return the words that were refused there and not sent since."""
    return str(session.get("kept", {}).get(place, ""))


def discard_sent_draft(place: str, content: str) -> None:
    """Let go of what was sent, or of what the composer held that sent other words instead."""
    place = edit_draft(edited_turn_id()) if edited_turn_id() else place
    if "held" in request.form or kept(place) == content:
        discard_draft(place)


def discard_draft(place: str) -> None:
    """Keep its words no longer."""
    if kept(place):
        session["kept"] = {
            other: words for other, words in session["kept"].items() if other != place
        }
