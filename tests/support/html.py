"""HTML, read as a browser reads it."""

from __future__ import annotations

from bs4 import BeautifulSoup

# White space in these is kept.
KEPT = {"pre", "hx-partial", "article"}


def read(html: str) -> BeautifulSoup:
    """Read a piece of HTML."""
    return BeautifulSoup(html, "html.parser", preserve_whitespace_tags=KEPT)
