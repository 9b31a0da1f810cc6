"""Markdown within Markdown: its headings stand below those around it."""

from __future__ import annotations

import re

import pyromark

from chat.markdown.rendering import OPTIONS

LOWEST = 6
BELOW = 2

_MARK = re.compile(r"^#+[ \t]*|[ \t]+#+$")


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
        heading = source[place["start"] : place["end"]].decode()
        # A heading that is underlined, or goes on over lines, becomes one with marks.
        lines = heading.rstrip().split("\n")
        words = lines if heading.startswith("#") else lines[:-1]
        shown = _MARK.sub("", " ".join(line.strip(" \t>") for line in words))
        parts += [source[end : place["start"]], f"{'#' * level} {shown}\n".encode()]
        end = place["end"]
    return b"".join([*parts, source[end:]]).decode()


def _level(event: object) -> int:
    started = event.get("Start") if isinstance(event, dict) else None
    found = started.get("Heading") if isinstance(started, dict) else None
    return min(LOWEST, int(str(found["level"]).removeprefix("H")) + BELOW) if found else 0
