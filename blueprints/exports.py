"""Export of a conversation as a Markdown or JSON file."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Generator, Iterator
from urllib.parse import quote

import msgspec
from flask import Blueprint, Response, abort, request, stream_with_context

from twindow.chat.conversations import Conversation
from twindow.chat.log import Reply
from twindow.chat.turns import Turn, iter_turns
from twindow.core.threadpool import in_serial_threadpool
from twindow.rendering import BLANK_CHARACTERS, embed_inline, embed_markdown, quote_markdown
from twindow.web.container import portal
from twindow.web.i18n import (
    english_end_message,
    exact_time,
    gettext,
    iso_time,
    reply_end_message,
)
from twindow.web.person.ownership import own_conversation
from twindow.web.person.revocation import while_signed_in
from twindow.web.person.twin_permissions import find_cached_twin
from twindow.web.streaming import stream_limit

bp = Blueprint("exports", __name__)

MAX_NAME_CHARACTERS = 80
# Some file systems limit names to 255 bytes, including what a browser appends.
MAX_NAME_BYTES = 200
# Names that Windows reserves for devices.
WINDOWS_DEVICE_NAMES = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³])", re.IGNORECASE)
Transcript = Iterator[tuple[Turn, Reply]]
_embed_markdown = in_serial_threadpool(embed_markdown)
_quote_markdown = in_serial_threadpool(quote_markdown)


@bp.get("/conversations/<conversation_id>/export")
def show(conversation_id: str) -> Response:
    """Stream the whole conversation, a few turns at a time."""
    conversation = own_conversation(conversation_id)
    export_format = request.args.get("format", "")
    if export_format not in FORMATS:
        abort(404)
    if stream_limit.is_stream_limit_reached():
        abort(429)
    write, media_type = FORMATS[export_format]
    turns = iter_turns(portal().turns, portal().log, conversation_id)
    body = while_signed_in(write(conversation, turns), _nothing(), twin_id=conversation.twin_id)
    response = Response(stream_with_context(body), content_type=media_type)
    response.headers["Content-Disposition"] = _content_disposition(
        conversation.title, export_format
    )
    return stream_limit.count_stream(response)


def _nothing() -> Generator[str]:
    yield from ()


def _write_markdown(conversation: Conversation, turns: Transcript) -> Generator[str]:
    subtitle = gettext("A conversation with %(twin)s.", twin=embed_inline(conversation.twin_name))
    you = gettext("You")
    # Not within an f-string, from which `make words` extracts nothing.
    unfinished = gettext("This reply is still being written.")
    yield f"# {embed_inline(conversation.title)}\n\n{subtitle}\n"
    if greeting := _greeting(conversation):
        body = _embed_markdown(greeting).rstrip(BLANK_CHARACTERS)
        yield f"\n## {embed_inline(conversation.twin_name)}\n\n{body}\n"
    for turn, reply in turns:
        heading = gettext("%(author)s, %(time)s", author=you, time=exact_time(turn.created_at))
        yield f"\n## {heading}\n\n{_quote_markdown(turn.content)}\n"
        body = _embed_markdown(reply.text).rstrip(BLANK_CHARACTERS)
        yield f"\n## {embed_inline(turn.twin_name)}\n\n{body}".rstrip("\n") + "\n"
        for number, source in enumerate(reply.sources, 1):
            heading = embed_inline(source.heading)
            label = f"\\[{number}\\] {heading}"
            if reply.is_quotation:
                label = gettext("Quoted from %(heading)s", heading=heading)
            address = f" <{source.url}>" if source.url else ""
            yield f"\n*{label} ({embed_inline(source.file)}){address}*\n"
        if reply.is_running:
            yield f"\n*{unfinished}*\n"
        elif reply.code:
            yield f"\n*{embed_inline(reply_end_message(reply))}*\n"


def _write_json(conversation: Conversation, turns: Transcript) -> Generator[str]:
    header = _encode_json(
        {
            "title": conversation.title,
            "twin": {"id": conversation.twin_id, "name": conversation.twin_name},
            "createdAt": iso_time(conversation.created_at),
            "updatedAt": iso_time(conversation.updated_at),
            "greeting": _greeting(conversation),
        }
    )
    yield header[:-1] + ',"turns":['
    for index, (turn, reply) in enumerate(turns):
        yield (",\n" if index else "\n") + _encode_json(
            {
                "message": turn.content,
                "sentAt": iso_time(turn.created_at),
                "reply": reply.text,
                "state": reply.state,
                "note": english_end_message(reply),
                "sources": reply.sources,
            }
        )
    yield "\n]}\n"


def _greeting(conversation: Conversation) -> str:
    """Return the current greeting of the twin, as shown above the conversation, or ""."""
    twin = find_cached_twin(conversation.twin_id)
    return (twin.greeting or "") if twin else ""


def _encode_json(value: dict[str, object]) -> str:
    return msgspec.json.encode(value).decode()


FORMATS = {
    "md": (_write_markdown, "text/markdown; charset=utf-8"),
    "json": (_write_json, "application/json"),
}


def _content_disposition(title: str, extension: str) -> str:
    """Return the Content-Disposition header with a filename made from the title.

    Only letters, digits, hyphens and single spaces are used: they are valid on every system.
    """
    characters = (
        character if _is_filename_character(character) else " "
        for character in unicodedata.normalize("NFC", title)
    )
    filename = " ".join("".join(characters).split())[:MAX_NAME_CHARACTERS].strip(" -")
    filename = filename.encode()[:MAX_NAME_BYTES].decode(errors="ignore").rstrip()
    if WINDOWS_DEVICE_NAMES.fullmatch(filename):
        filename = f"{filename} conversation"
    filename = f"{filename or 'conversation'}.{extension}"
    ascii_filename = filename if filename.isascii() else f"conversation.{extension}"
    return f"attachment; filename=\"{ascii_filename}\"; filename*=UTF-8''{quote(filename)}"


def _is_filename_character(character: str) -> bool:
    # Many scripts write vowels as combining marks, which `isalnum` rejects.
    return (
        character.isalnum() or character == "-" or unicodedata.category(character).startswith("M")
    )
