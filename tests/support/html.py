"""HTML, read as a browser reads it."""

from __future__ import annotations

from bs4 import BeautifulSoup

# White space in these is kept.
WHITESPACE_PRESERVING_TAGS = {"pre", "hx-partial", "article"}


def parse_html(html: str) -> BeautifulSoup:
    """Read a piece of HTML."""
    return BeautifulSoup(html, "html.parser", preserve_whitespace_tags=WHITESPACE_PRESERVING_TAGS)
