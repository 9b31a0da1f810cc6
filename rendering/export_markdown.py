"""Markdown within Markdown: it stands below what is around it, and ends where it ends."""

from __future__ import annotations

import re

import pyromark

from rendering.lowered_headings import lowered
from rendering.preprocess import OPTIONS, without_html

# Who knows no formulas finds HTML in them.
_PLAIN = pyromark.Options(0)
# What Markdown takes for blank; Python knows more of it.
BLANK = " \t\n"
_FENCE = re.compile(rb"`{3,}|~{3,}")


def within(text: str) -> str:
    """Return a text that can be no part of what is around it, nor hold what follows it.

    HTML is words in it, as on our pages; code that goes on has an end.
    """
    return _ended(lowered(_as_words(text.replace("\r\n", "\n").replace("\r", "\n"))))


def in_line(words: str) -> str:
    """Return words of a line, a title or a name, without HTML."""
    begin = "# "
    return _as_words(f"{begin}{words}").removeprefix(begin)


def _as_words(text: str) -> str:
    """Return a text in which HTML is words, whoever reads it."""
    text = without_html(text, lambda html: html.replace("<", r"\<"))
    return without_html(text, lambda html: html.replace("<", r"\lt "), _PLAIN)


def _ended(text: str) -> str:
    """End code at the end of a text; what is in a list or a quotation ends with that."""
    source = text.encode()
    if not _FENCE.search(source) or _is_over(text):
        return text
    begun = [
        fence[0].decode()
        for event, place in pyromark.events_with_range(text, options=OPTIONS)
        if isinstance(event, dict)
        and "CodeBlock" in str(event.get("Start"))
        and (fence := _FENCE.match(source, place["start"]))
    ]
    return f"{text.rstrip(BLANK)}\n{begun[-1]}" if begun else text


def _is_over(text: str) -> bool:
    """Tell whether a heading that follows stands by itself."""
    before = f"{text.rstrip(BLANK)}\n\n"
    at = len(before.encode())
    depth = 0
    for event, place in pyromark.events_with_range(f"{before}# Next\n", options=OPTIONS):
        if isinstance(event, dict):
            if "Heading" in str(event.get("Start")) and place["start"] == at:
                return depth == 0
            depth += ("Start" in event) - ("End" in event)
    return False
