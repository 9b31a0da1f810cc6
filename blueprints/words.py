"""The words that a person sends: read from the form, checked, and never lost."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from flask import abort, request, session

from blueprints.current import person, portal
from blueprints.language import gettext
from blueprints.telling import number
from wording import N_

MAX_KEY = 64
REMEMBERED = 20
# Empty, or too long: what is said of them is over when the words are others.
WRONG_WORDS = (413, 422)
NOT_SENT = N_("Your message was not sent; it is still here.")


@dataclass(frozen=True, slots=True)
class Said:
    """A message, and the key of the press of the button that sent it."""

    content: str
    key: str


class Refused(Exception):
    """Raised for a message that cannot be sent; `content` gives the words back.

    `until` says when it may be tried again, in seconds since the epoch, if that is known.
    """

    def __init__(
        self, sentence: str, status: int, content: str, until: float | None = None
    ) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.status = status
        self.content = content
        self.until = until


def given_back(refused: Refused) -> dict[str, Any]:
    """Return what the composer is shown by after a refusal."""
    shown: dict[str, Any] = {"content": refused.content, "notice": refused.sentence}
    shown |= {"copied": False, "until_changed": refused.status in WRONG_WORDS}
    return shown | ({"until": refused.until} if refused.until else {})


def refuse_nul() -> None:
    """Answer 404 to an address that holds a NUL: PostgreSQL could not look for it."""
    if "\0" in request.path or any("\0" in value for value in request.args.values()):
        abort(404)


def fresh_key() -> str:
    """Return a key for one press of one button."""
    return secrets.token_urlsafe(16)


def first_key(twin_id: str) -> str:
    """Return the key of the form that begins a conversation with a twin.

    It stays the same until the conversation has been seen: whose first press got no answer goes
    back, finds the words in a form that was loaded anew, and presses again.
    """
    keys = session.get("first_keys", {})
    if twin_id not in keys:
        keys = dict([*keys.items(), (twin_id, fresh_key())][-REMEMBERED:])
        session["first_keys"] = keys
    return str(keys[twin_id])


def forget_first_key(twin_id: str) -> None:
    """Make the next press another one: the conversation that came of the last has been seen."""
    keys = session.get("first_keys", {})
    if twin_id in keys:
        session["first_keys"] = {known: key for known, key in keys.items() if known != twin_id}


def keep(conversation_id: str, content: str) -> None:
    """Keep words that were refused: without scripts, every way on leads to another page."""
    session["kept"] = {conversation_id: content}


def kept(conversation_id: str) -> str:
    """Return the words of this conversation that were refused and not sent since."""
    return str(session.get("kept", {}).get(conversation_id, ""))


def sent(conversation_id: str) -> None:
    """Keep its words no longer: something was sent instead."""
    if kept(conversation_id):
        del session["kept"]


def words_of(given: Mapping[str, str]) -> str:
    """Return the words of an earlier turn of the person's that a form or an address names."""
    turn_id = given.get("words_of", "").replace("\0", "")
    turn = portal().turns.find(turn_id, person()) if turn_id else None
    return turn.content if turn else ""


def said() -> Said:
    """Read the message in this request. Raises Refused."""
    # A form sends CRLF for every line end; the person typed one.
    content = request.form.get("content", "").replace("\r\n", "\n") or words_of(request.form)
    limit = portal().settings.message_limit
    if not content.strip():
        raise Refused(gettext("There is nothing to send yet: write a message first."), 422, content)
    if len(content) > limit:
        sentence = gettext(
            "The message is too long: %(length)s characters, and %(limit)s are possible. "
            "It was not sent.",
            length=number(len(content)),
            limit=number(limit),
        )
        raise Refused(sentence, 413, content)
    if "\0" in content:
        sentence = gettext("The message holds a NUL character and was not sent.")
        raise Refused(sentence, 422, content)
    return Said(content, request.form.get("key", "")[:MAX_KEY] or fresh_key())
