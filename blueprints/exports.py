"""A conversation as a file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from urllib.parse import quote

import msgspec
from flask import Blueprint, Response, abort, request, stream_with_context

from chat.conversations import Conversation
from chat.log.entries import Reply
from chat.transcript import transcript
from chat.turns import Turn
from rendering.export_markdown import BLANK, in_line
from web.container import own_conversation, portal
from web.i18n.formatting import exact, iso
from web.i18n.locale import gettext
from web.i18n.sentences import translated

bp = Blueprint("exports", __name__)

NAME_LIMIT = 80
# Some systems count bytes, and leave room for 255 with what a browser appends.
NAME_BYTES = 200
# What Windows takes for devices.
DEVICES = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])", re.IGNORECASE)
Told = Iterator[tuple[Turn, Reply]]


@bp.get("/conversations/<conversation_id>/export")
def show(conversation_id: str) -> Response:
    """Send the whole conversation, a few turns at a time."""
    conversation = own_conversation(conversation_id)
    kind = request.args.get("format", "")
    if kind not in FORMATS:
        abort(404)
    write, media_type = FORMATS[kind]
    told = transcript(portal().turns, portal().log, conversation_id)
    response = Response(stream_with_context(write(conversation, told)), content_type=media_type)
    response.headers["Content-Disposition"] = _attachment(conversation.title, kind)
    return response


def _markdown(conversation: Conversation, told: Told) -> Iterator[str]:
    about = gettext("A conversation with %(twin)s.", twin=in_line(conversation.twin_name))
    you = gettext("You")
    yield f"# {in_line(conversation.title)}\n\n{about}\n"
    if greeting := _greeting(conversation):
        words = portal().within(greeting).rstrip(BLANK)
        yield f"\n## {in_line(conversation.twin_name)}\n\n{words}\n"
    for turn, reply in told:
        said = "\n".join(f"> {line}".rstrip() for line in turn.content.splitlines())
        yield f"\n## {you}, {exact(turn.created_at)}\n\n{said}\n"
        words = portal().within(reply.text).rstrip(BLANK)
        yield f"\n## {in_line(turn.twin_name)}\n\n{words}".rstrip("\n") + "\n"
        if reply.running:
            yield f"\n*{gettext('This reply is still being written.')}*\n"
        elif reply.sentence:
            yield f"\n*{in_line(translated(reply.sentence))}*\n"


def _json(conversation: Conversation, told: Told) -> Iterator[str]:
    head = _encoded(
        {
            "title": conversation.title,
            "twin": {"id": conversation.twin_id, "name": conversation.twin_name},
            "createdAt": iso(conversation.created_at),
            "updatedAt": iso(conversation.updated_at),
            "greeting": _greeting(conversation),
        }
    )
    yield head[:-1] + ',"turns":['
    for number, (turn, reply) in enumerate(told):
        yield (",\n" if number else "\n") + _encoded(
            {
                "said": turn.content,
                "saidAt": iso(turn.created_at),
                "reply": reply.text,
                "state": reply.state,
                "note": reply.sentence,
            }
        )
    yield "\n]}\n"


def _greeting(conversation: Conversation) -> str:
    """Return how its twin greets today, as above the conversation on its page."""
    twin = portal().directory.known(conversation.twin_id)
    return (twin.greeting or "") if twin else ""


def _encoded(value: dict[str, object]) -> str:
    return msgspec.json.encode(value).decode()


FORMATS = {
    "md": (_markdown, "text/markdown; charset=utf-8"),
    "json": (_json, "application/json"),
}


def _attachment(title: str, ending: str) -> str:
    """Name the file: letters, digits and single blanks are a name on every system."""
    letters = (sign if _stays(sign) else " " for sign in unicodedata.normalize("NFC", title))
    name = " ".join("".join(letters).split())[:NAME_LIMIT].strip(" -")
    name = name.encode()[:NAME_BYTES].decode(errors="ignore").rstrip()
    if DEVICES.fullmatch(name):
        name = f"{name} conversation"
    name = f"{name or 'conversation'}.{ending}"
    plain = name if name.isascii() else f"conversation.{ending}"
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(name)}"


def _stays(sign: str) -> bool:
    # Marks, by which many scripts write their vowels, are no letters to Python.
    return sign.isalnum() or sign == "-" or unicodedata.category(sign).startswith("M")
