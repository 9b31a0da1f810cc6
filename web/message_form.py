"""Read and validate the message form; idempotency keys of forms."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from flask import request, session

from web.container import portal
from web.current_person import person
from web.i18n import format_number, gettext
from web.rejected_messages import RejectedMessage

MAX_KEY_CHARACTERS = 64


@dataclass(frozen=True, slots=True)
class SubmittedMessage:
    """A message, and the key of the press of the button that sent it."""

    content: str
    idempotency_key: str


def content_of_turn(values: Mapping[str, str]) -> str:
    """Return the words of an earlier turn of the person's that a form or an address names."""
    turn_id = values.get("words_of", "").replace("\0", "")
    turn = portal().turns.find(turn_id, person()) if turn_id else None
    return turn.content if turn else ""


def read_message() -> SubmittedMessage:
    """Read the message in this request. Raises RejectedMessage."""
    # A form sends CRLF for every line end; the person typed one.
    content = request.form.get("content", "").replace("\r\n", "\n") or content_of_turn(request.form)
    limit = portal().settings.message_limit
    if not content.strip():
        raise RejectedMessage(
            gettext("There is nothing to send yet: write a message first."), 422, content
        )
    if len(content) > limit:
        sentence = gettext(
            "The message is too long: %(length)s characters, and %(limit)s are possible. "
            "It was not sent.",
            length=format_number(len(content)),
            limit=format_number(limit),
        )
        raise RejectedMessage(sentence, 413, content)
    if "\0" in content:
        sentence = gettext("The message holds a NUL character and was not sent.")
        raise RejectedMessage(sentence, 422, content)
    return SubmittedMessage(
        content, request.form.get("key", "")[:MAX_KEY_CHARACTERS] or new_idempotency_key()
    )


# Of so many twins the first press is remembered.
MAX_REMEMBERED_TWINS = 20


def new_idempotency_key() -> str:
    """Return a key for one press of one button."""
    return secrets.token_urlsafe(16)


def first_message_key(twin_id: str) -> str:
    """Return the key of the form that begins a conversation with a twin.

    It stays the same until the conversation has been seen: whose first press got no answer goes
    back, finds the words in a form that was loaded anew, and presses again.
    """
    keys = session.get("first_keys", {})
    if twin_id not in keys:
        keys = dict([*keys.items(), (twin_id, new_idempotency_key())][-MAX_REMEMBERED_TWINS:])
        session["first_keys"] = keys
    return str(keys[twin_id])


def forget_first_message_key(twin_id: str) -> None:
    """Make the next press another one: the conversation that came of the last has been seen."""
    keys = session.get("first_keys", {})
    if twin_id in keys:
        session["first_keys"] = {
            other_id: key for other_id, key in keys.items() if other_id != twin_id
        }
