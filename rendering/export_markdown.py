"""Embedding of Markdown in exported Markdown: escapes HTML, lowers headings, closes code fences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import pyromark

from rendering.preprocess import MARKDOWN_OPTIONS, MAX_ESCAPE_PASSES, is_html

# Parsers that do not support formulas recognise HTML and images inside formulas.
_DIALECTS = (MARKDOWN_OPTIONS, pyromark.Options(0))
# Start of text that any parser may recognise as HTML or an image, and the backslashes before it.
# Parsers disagree about the definition of a tag, but not about a URL in angle brackets.
# A match begins at the first backslash; the lookbehind keeps it from beginning at a later one.
_MARKUP = re.compile(r"(?<!\\)(\\*+)(<(?=[A-Za-z/!?])(?!https?://[^\s<>]*>)|!(?=\[))")
_LESS_THAN = "&lt;"
# White space in Markdown; `rstrip()` without this argument would remove more characters.
BLANK_CHARACTERS = " \t\n"
_FENCE = re.compile(rb"`{3,}|~{3,}")


def embed_markdown(text: str) -> str:
    """Return Markdown that can be inserted into an exported document.

    HTML and images are escaped for any viewer, headings are lowered, and an open code fence is
    closed.
    """
    return _close_code_fence(
        lower_headings(escape_markup(text.replace("\r\n", "\n").replace("\r", "\n")))
    )


def embed_inline(text: str) -> str:
    """Return a text of one line, such as a title or a name, without HTML and images."""
    heading_prefix = "# "
    return escape_markup(f"{heading_prefix}{text}").removeprefix(heading_prefix)


def quote_markdown(text: str) -> str:
    """Return a text as a quotation without HTML and images."""
    return escape_markup("\n".join(f"> {line}".rstrip() for line in text.splitlines()))


def escape_markup(text: str) -> str:
    """Escape HTML outside of code, and turn images into links, which viewers do not load."""
    for _ in range(MAX_ESCAPE_PASSES):
        if not _MARKUP.search(text):
            return text
        escaped_text = text
        for options in _DIALECTS:
            escaped_text = _escape_outside_code(escaped_text, options)
        if escaped_text == text:
            return text
        # The parser may now recognise HTML in the text after the escaped HTML.
        text = escaped_text
    return _escape_all(text)


def _escape_outside_code(text: str, options: pyromark.Options) -> str:
    source = text.encode()
    parts: list[str] = []
    end = 0
    for event, span in pyromark.events_with_range(text, options=options):
        if not isinstance(event, dict) or span["start"] < end:
            continue
        part = source[span["start"] : span["end"]].decode()
        if _is_code_for_all_parsers(event, part):
            replacement = part
        elif "InlineMath" in event or "DisplayMath" in event:
            replacement = _escape_all(part, less_than=r"\lt ")
        elif is_html(event):
            replacement = _escape_all(part.replace("&", "&amp;"))
        elif _starts(event, "Image"):
            replacement, span["end"] = "", span["start"] + len("!")
        else:
            continue
        parts += [_escape_all(source[end : span["start"]].decode()), replacement]
        end = span["end"]
    return "".join([*parts, _escape_all(source[end:].decode())])


def _is_code_for_all_parsers(event: Mapping[str, Any], part: str) -> bool:
    """Return whether an event is code for every Markdown parser.

    Parsers disagree about indented code, code spans of several lines, and fences whose first line
    contains "|", as in a table.
    """
    if "Code" in event:
        return "\n" not in part
    if not _starts(event, "CodeBlock"):
        return False
    block: str | dict[str, str] = event["Start"]["CodeBlock"]
    return isinstance(block, dict) and "|" not in block["Fenced"]


def _escape_all(text: str, less_than: str = _LESS_THAN) -> str:
    def escape(match: re.Match[str]) -> str:
        backslashes, sign = match[1], match[2]
        is_escaped = len(backslashes) % 2 == 1
        if sign == "!":
            return match[0] if is_escaped else f"{backslashes}&#33;"
        return f"{backslashes[1:] if is_escaped else backslashes}{less_than}"

    return _MARKUP.sub(escape, text)


def _starts(event: object, name: str) -> bool:
    """Return whether an event of pyromark is the start of an element."""
    start_tag = event.get("Start") if isinstance(event, dict) else None
    return isinstance(start_tag, dict) and name in start_tag


def _close_code_fence(text: str) -> str:
    """Close an open code fence; one inside a list or a quotation ends with its container."""
    source = text.encode()
    if not _FENCE.search(source) or _ends_at_top_level(text):
        return text
    open_fences = [
        fence[0].decode()
        for event, span in pyromark.events_with_range(text, options=MARKDOWN_OPTIONS)
        if _starts(event, "CodeBlock") and (fence := _FENCE.match(source, span["start"]))
    ]
    return f"{text.rstrip(BLANK_CHARACTERS)}\n{open_fences[-1]}" if open_fences else text


def _ends_at_top_level(text: str) -> bool:
    """Return whether a heading that follows the text is outside code, lists and quotations."""
    padded_text = f"{text.rstrip(BLANK_CHARACTERS)}\n\n"
    heading_start = len(padded_text.encode())
    depth = 0
    for event, span in pyromark.events_with_range(
        f"{padded_text}# Next\n", options=MARKDOWN_OPTIONS
    ):
        if isinstance(event, dict):
            if _starts(event, "Heading") and span["start"] == heading_start:
                return depth == 0
            depth += ("Start" in event) - ("End" in event)
    return False


MAX_HEADING_LEVEL = 6


HEADING_LEVEL_OFFSET = 2


def lower_headings(text: str) -> str:
    """Lower the headings of a text by two levels, below the headings of the export.

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
        heading_text = _atx_text(heading.partition("\n")[0])
        if heading_text is None:
            # A setext heading may span several lines. In a quotation, each line begins with ">".
            heading_text = " ".join(
                line.lstrip(" \t>").rstrip() for line in heading.split("\n")[:-1]
            )
        parts += [source[end : span["start"]], f"{'#' * level} {heading_text}\n".encode()]
        end = span["end"]
    return b"".join([*parts, source[end:]]).decode()


def _atx_text(line: str) -> str | None:
    """Return the text of a heading that begins with "#", or None (CommonMark 4.2)."""
    rest = line.lstrip("#")
    if rest == line or rest[:1].strip(" \t"):
        return None
    text = rest.strip(" \t")
    without_closing = text.rstrip("#")
    is_closed = without_closing != text and not without_closing[-1:].strip(" \t")
    return without_closing.rstrip(" \t") if is_closed else text


def _lowered_level(event: object) -> int:
    start_tag = event.get("Start") if isinstance(event, dict) else None
    heading = start_tag.get("Heading") if isinstance(start_tag, dict) else None
    return (
        min(MAX_HEADING_LEVEL, int(str(heading["level"]).removeprefix("H")) + HEADING_LEVEL_OFFSET)
        if heading
        else 0
    )
