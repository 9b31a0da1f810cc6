"""Headings of a text that stands below those of another."""

from __future__ import annotations

import re

import pyromark

from rendering.preprocess import MARKDOWN_OPTIONS

MAX_LEVEL = 6
LEVEL_OFFSET = 2

_ATX_HEADING = re.compile(r"#+(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*", re.DOTALL)


def lower_headings(text: str) -> str:
    """Lower the headings of a text by two levels, so that none of them can be one of ours.

    What is only written like one, within code, stays as it is.
    """
    source = text.replace("\r\n", "\n").replace("\r", "\n").encode()
    parts: list[bytes] = []
    end = 0
    for event, span in pyromark.events_with_range(source.decode(), options=MARKDOWN_OPTIONS):
        level = _lowered_level(event)
        if not level:
            continue
        heading = source[span["start"] : span["end"]].decode().rstrip()
        if match := _ATX_HEADING.fullmatch(heading.partition("\n")[0]):
            heading_text = match[1] or ""
        else:
            # One that is underlined may go on over lines, and in a quotation each has its mark.
            heading_text = " ".join(
                line.lstrip(" \t>").rstrip() for line in heading.split("\n")[:-1]
            )
        parts += [source[end : span["start"]], f"{'#' * level} {heading_text}\n".encode()]
        end = span["end"]
    return b"".join([*parts, source[end:]]).decode()


def _lowered_level(event: object) -> int:
    start_tag = event.get("Start") if isinstance(event, dict) else None
    heading = start_tag.get("Heading") if isinstance(start_tag, dict) else None
    return (
        min(MAX_LEVEL, int(str(heading["level"]).removeprefix("H")) + LEVEL_OFFSET)
        if heading
        else 0
    )
