"""Embedding of Markdown in exported Markdown: lowers headings and closes open code fences."""

from __future__ import annotations

import re

import pyromark

from rendering.preprocess import MARKDOWN_OPTIONS, escape_raw_html

# Parsers without formulas recognise HTML inside of them.
_COMMONMARK_OPTIONS = pyromark.Options(0)
# The blanks of Markdown; Python counts more characters as blank.
BLANK_CHARACTERS = " \t\n"
_FENCE = re.compile(rb"`{3,}|~{3,}")


def embed_markdown(text: str) -> str:
    """Return a text that neither merges with the text before it nor absorbs the text after it.

    HTML is escaped, as on our pages, and an open code fence is closed.
    """
    return _close_code_fence(
        lower_headings(_escape_html(text.replace("\r\n", "\n").replace("\r", "\n")))
    )


def embed_inline(text: str) -> str:
    """Return a text of one line, such as a title or a name, with its HTML escaped."""
    heading_prefix = "# "
    return _escape_html(f"{heading_prefix}{text}").removeprefix(heading_prefix)


def _escape_html(text: str) -> str:
    """Escape HTML for all parsers, with or without support for formulas."""
    text = escape_raw_html(text, lambda html: html.replace("<", r"\<"))
    return escape_raw_html(text, lambda html: html.replace("<", r"\lt "), _COMMONMARK_OPTIONS)


def _close_code_fence(text: str) -> str:
    """Close an open code fence; one inside a list or a quotation ends with its container."""
    source = text.encode()
    if not _FENCE.search(source) or _ends_at_top_level(text):
        return text
    open_fences = [
        fence[0].decode()
        for event, span in pyromark.events_with_range(text, options=MARKDOWN_OPTIONS)
        if isinstance(event, dict)
        and "CodeBlock" in str(event.get("Start"))
        and (fence := _FENCE.match(source, span["start"]))
    ]
    return f"{text.rstrip(BLANK_CHARACTERS)}\n{open_fences[-1]}" if open_fences else text


def _ends_at_top_level(text: str) -> bool:
    """Return whether a heading after the text is at the top level."""
    padded_text = f"{text.rstrip(BLANK_CHARACTERS)}\n\n"
    heading_start = len(padded_text.encode())
    depth = 0
    for event, span in pyromark.events_with_range(
        f"{padded_text}# Next\n", options=MARKDOWN_OPTIONS
    ):
        if isinstance(event, dict):
            if "Heading" in str(event.get("Start")) and span["start"] == heading_start:
                return depth == 0
            depth += ("Start" in event) - ("End" in event)
    return False


MAX_HEADING_LEVEL = 6


HEADING_LEVEL_OFFSET = 2


_ATX_HEADING = re.compile(r"#+(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*", re.DOTALL)


def lower_headings(text: str) -> str:
    """Lower the headings of a text by two levels, so that none can pass for one of ours.

    Lines inside code that look like headings stay unchanged.
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
            # A setext heading may span lines, and in a quotation each of them has its mark.
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
        min(MAX_HEADING_LEVEL, int(str(heading["level"]).removeprefix("H")) + HEADING_LEVEL_OFFSET)
        if heading
        else 0
    )
