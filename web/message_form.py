"""Reading and validation of the message form, and idempotency keys of forms."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from flask import request, session

from web.container import portal
from web.current_person import person
from web.i18n import format_number, gettext
from web.rejected_messages import RejectedMessage

MAX_IDEMPOTENCY_KEY_CHARACTERS = 64


@dataclass(frozen=True, slots=True)
class SubmittedMessage:
    """The text of a message and the idempotency key of the form that sent it."""

    content: str
    idempotency_key: str


def edited_turn_content(values: Mapping[str, str]) -> str:
    """Return the message of the person's turn that `words_of` names, or ""."""
    turn_id = values.get("words_of", "").replace("\0", "")
    turn = portal().turns.find(turn_id, person()) if turn_id else None
    return turn.content if turn else ""


def read_message() -> SubmittedMessage:
    """Read the message of this request.

    Raises RejectedMessage when the message is blank, too long or contains NUL.
    """
    # Browsers submit line breaks as CRLF; they count as one character.
    content = request.form.get("content", "").replace("\r\n", "\n") or edited_turn_content(
        request.form
    )
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
        content,
        request.form.get("key", "")[:MAX_IDEMPOTENCY_KEY_CHARACTERS] or new_idempotency_key(),
    )


# Maximum number of twins whose first-message key a session stores.
MAX_REMEMBERED_TWINS = 20


def new_idempotency_key() -> str:
    """Return a new random idempotency key for one form."""
    return secrets.token_urlsafe(16)


def first_message_key(twin_id: str) -> str:
    """Return the idempotency key of the form that starts a conversation with a twin.

    The key stays the same until the person has opened the conversation. If the response to the
    first submission is lost, the person goes back, finds the text in a reloaded form and submits
    it again; the same key prevents a second conversation.
    """
    keys = session.get("first_keys", {})
    if twin_id not in keys:
        keys = dict([*keys.items(), (twin_id, new_idempotency_key())][-MAX_REMEMBERED_TWINS:])
        session["first_keys"] = keys
    return str(keys[twin_id])


def forget_first_message_key(twin_id: str) -> None:
    """Discard the key of a twin after its conversation was opened. The next form gets a new one."""
    keys = session.get("first_keys", {})
    if twin_id in keys:
        session["first_keys"] = {
            other_id: key for other_id, key in keys.items() if other_id != twin_id
        }
