"""Markdown within Markdown: it stands below what is around it, and ends where it ends."""

from __future__ import annotations

import re

import pyromark

from rendering.preprocess import MARKDOWN_OPTIONS, escape_raw_html

# Who knows no formulas finds HTML in them.
_COMMONMARK_OPTIONS = pyromark.Options(0)
# What Markdown takes for blank; Python knows more of it.
BLANK_CHARACTERS = " \t\n"
_FENCE = re.compile(rb"`{3,}|~{3,}")


def embed_markdown(text: str) -> str:
    """Return a text that can be no part of what is around it, nor hold what follows it.

    HTML is words in it, as on our pages; code that goes on has an end.
    """
    return _close_code_fence(
        lower_headings(_escape_html(text.replace("\r\n", "\n").replace("\r", "\n")))
    )


def embed_inline(text: str) -> str:
    """Return words of a line, a title or a name, without HTML."""
    heading_prefix = "# "
    return _escape_html(f"{heading_prefix}{text}").removeprefix(heading_prefix)


def _escape_html(text: str) -> str:
    """Return a text in which HTML is words, whoever reads it."""
    text = escape_raw_html(text, lambda html: html.replace("<", r"\<"))
    return escape_raw_html(text, lambda html: html.replace("<", r"\lt "), _COMMONMARK_OPTIONS)


def _close_code_fence(text: str) -> str:
    """End code at the end of a text; what is in a list or a quotation ends with that."""
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
    """Tell whether a heading that follows stands by itself."""
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
