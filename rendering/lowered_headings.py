"""Headings of a text that stands below those of another."""

from __future__ import annotations

import re

import pyromark

from rendering.preprocess import OPTIONS

LOWEST = 6
BELOW = 2

_MARKED = re.compile(r"#+(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*", re.DOTALL)


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


def _level(event: object) -> int:
    started = event.get("Start") if isinstance(event, dict) else None
    found = started.get("Heading") if isinstance(started, dict) else None
    return min(LOWEST, int(str(found["level"]).removeprefix("H")) + BELOW) if found else 0
