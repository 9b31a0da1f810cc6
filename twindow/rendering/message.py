"""Rendering of people's messages: literal text, in which only fenced code is displayed as code."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from twindow.rendering.render import render_part

# A message with more than `MAX_LINES` displayed lines is collapsed. Literal text wraps: a displayed
# line holds about `WRAPPED_LINE_LENGTH` characters.
MAX_LINES = 12
WRAPPED_LINE_LENGTH = 80
# Thousands of empty code blocks would make a page of many megabytes.
MAX_HTML_RATIO = 2
MAX_HTML_OVERHEAD = 16_384
# A page may show twenty messages, which are rendered for each view.
MAX_HIGHLIGHTED_CHARACTERS = 4_000

_LINE_START = re.compile(r"(?<=\n)(?!\Z)")
_FENCE = re.compile(r" {0,3}(`{3,})([^`\n]*)\n?")
_CODE_FRAME = re.compile(r'<div class="code".*?</div>', re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Part:
    """Lines of a message with their line ends. The first and last line of code are its fences."""

    lines: Sequence[str]
    is_code: bool


def render_message(text: str) -> str:
    """Return the HTML of a message. The text content of the HTML is the message with its fences.

    A message is shown as literal text if its code blocks would make the HTML too long.
    """
    parts = list(_split(text))
    code_parts = [part for part in parts if part.is_code]
    frames = _render_code(code_parts) if code_parts else []
    if len(frames) != len(code_parts):  # the renderer and `_split` found different code blocks
        return _escape(text)
    next_frame = iter(frames)
    message_html = "".join(
        _code_html(part, next(next_frame)) if part.is_code else _escape("".join(part.lines))
        for part in parts
    )
    max_length = MAX_HTML_RATIO * len(text) + MAX_HTML_OVERHEAD
    return message_html if len(message_html) <= max_length else _escape(text)


def is_long_message(text: str) -> bool:
    """Return whether a message has more than `MAX_LINES` lines, at the width of a large window."""
    return sum(map(_count_lines, _split(text))) > MAX_LINES


def _split(text: str) -> Iterator[_Part]:
    """Split a message into literal text and code. A fence that is not closed is literal text."""
    lines = _LINE_START.split(text.replace("\r\n", "\n").replace("\r", "\n"))
    text_start, code_start, opening_fence = 0, 0, ""
    for number, line in enumerate(lines):
        fence = _FENCE.fullmatch(line)
        if fence is None:
            continue
        if not opening_fence:
            code_start, opening_fence = number, fence[1]
        elif fence[1].startswith(opening_fence) and not fence[2].strip(" \t"):
            yield _Part(lines[text_start:code_start], is_code=False)
            yield _Part(lines[code_start : number + 1], is_code=True)
            text_start, opening_fence = number + 1, ""
    yield _Part(lines[text_start:], is_code=False)


def _render_code(parts: Sequence[_Part]) -> Sequence[str]:
    """Return the HTML of each code block. All blocks share one time limit."""
    # Remove the indentation of the fences: otherwise the renderer would unindent the code as well.
    sources = [
        "".join([part.lines[0].lstrip(" "), *part.lines[1:-1], part.lines[-1].strip()])
        for part in parts
    ]
    source = "\n".join(sources)
    is_short = len(source) <= MAX_HIGHLIGHTED_CHARACTERS
    return _CODE_FRAME.findall(render_part(source, scope="", is_complete=is_short))


def _code_html(part: _Part, frame: str) -> str:
    # The text around the code determines the direction of the message; the code has no influence.
    return f'<div dir="ltr">{_fence_html(part.lines[0])}{frame}{_fence_html(part.lines[-1])}</div>'


def _fence_html(line: str) -> str:
    """Return the HTML of a fence: invisible, but copied with the message."""
    return f'<span class="visually-hidden" aria-hidden="true">{_escape(line)}</span>'


def _escape(text: str) -> str:
    return html.escape(text, quote=False)


def _count_lines(part: _Part) -> int:
    if part.is_code:
        return len(part.lines)
    return sum(max(1, -(-len(line.rstrip("\n")) // WRAPPED_LINE_LENGTH)) for line in part.lines)
