"""Markdown within Markdown: it stands below what is around it, and ends where it ends."""

from __future__ import annotations

import re

import pyromark

from chat.markdown.source import OPTIONS

LOWEST = 6
BELOW = 2

# What is HTML may hold what is HTML without it.
_LAYERS = 5

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_MARKED = re.compile(r"#+(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*", re.DOTALL)


def within(text: str) -> str:
    """Return a text that can be no part of what is around it, nor hold what follows it.

    HTML is words in it, as on our pages; code that goes on has an end.
    """
    whole = text.replace("\r\n", "\n").replace("\r", "\n")
    for _ in range(_LAYERS):
        shown = _without_html(whole)
        if shown == whole:
            break
        whole = shown
    return _ended(lowered(whole))


def lowered(text: str) -> str:
    """Lower the headings of a text by two levels, so that none of them can be one of ours.

    What is only written like one, within code, stays as it is.
    """
    source = text.replace("\r\n", "\n").replace("\r", "\n").encode()
    parts: list[bytes] = []
    end = 0
    for event, place in pyromark.events_with_range(source.decode(), options=OPTIONS):
        level = _level(event)
        if not level:
            continue
        heading = source[place["start"] : place["end"]].decode().rstrip()
        if marked := _MARKED.fullmatch(heading.partition("\n")[0]):
            words = marked[1] or ""
        else:
            # One that is underlined may go on over lines, and in a quotation each has its mark.
            words = " ".join(line.lstrip(" \t>").rstrip() for line in heading.split("\n")[:-1])
        parts += [source[end : place["start"]], f"{'#' * level} {words}\n".encode()]
        end = place["end"]
    return b"".join([*parts, source[end:]]).decode()


def _without_html(text: str) -> str:
    source = text.encode()
    parts: list[bytes] = []
    end = 0
    for event, place in pyromark.events_with_range(text, options=OPTIONS):
        if isinstance(event, dict) and event.keys() & {"Html", "InlineHtml"}:
            piece = source[place["start"] : place["end"]]
            parts += [source[end : place["start"]], piece.replace(b"<", rb"\<")]
            end = place["end"]
    return b"".join([*parts, source[end:]]).decode()


def _ended(text: str) -> str:
    """End code at the end of a text; what is in a list or a quotation ends with that."""
    source = text.encode()
    for event, place in pyromark.events_with_range(text, options=OPTIONS):
        started = event.get("Start") if isinstance(event, dict) else None
        if not (isinstance(started, dict) and "CodeBlock" in started):
            continue
        line = source.rfind(b"\n", 0, place["start"]) + 1
        if place["end"] == len(source) and (fence := _FENCE.match(source[line:].decode())):
            last = text.rstrip().rpartition("\n")
            closes = last[1] and last[2].strip().startswith(fence[1]) and not last[2].strip(" `~")
            return text if closes else f"{text.rstrip()}\n{fence[1]}"
    return text


def _level(event: object) -> int:
    started = event.get("Start") if isinstance(event, dict) else None
    found = started.get("Heading") if isinstance(started, dict) else None
    return min(LOWEST, int(str(found["level"]).removeprefix("H")) + BELOW) if found else 0
