"""The words that a person sends: read from the form, and checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flask import request

from web.container import person, portal
from web.i18n.locale import gettext
from web.i18n.sentences import number
from web.idempotency_keys import fresh_key
from web.rejected_messages import Refused

MAX_KEY = 64


@dataclass(frozen=True, slots=True)
class Said:
    """A message, and the key of the press of the button that sent it."""

    content: str
    key: str


def words_of(given: Mapping[str, str]) -> str:
    """Return the words of an earlier turn of the person's that a form or an address names."""
    turn_id = given.get("words_of", "").replace("\0", "")
    turn = portal().turns.find(turn_id, person()) if turn_id else None
    return turn.content if turn else ""


def said() -> Said:
    """Read the message in this request. Raises refusals.Refused."""
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
