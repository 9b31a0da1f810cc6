"""The words that a person sends: read from the form, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import request

from web.container import person, portal
from web.i18n.locale import gettext
from web.i18n.sentences import format_number
from web.idempotency_keys import new_idempotency_key
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
    """Read the message in this request. Raises refusals.Refused."""
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
