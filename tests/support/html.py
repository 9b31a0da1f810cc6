"""HTML parsing for tests, with the white space that a browser keeps."""

from __future__ import annotations

from bs4 import BeautifulSoup, Tag

# BeautifulSoup keeps white space inside these elements.
WHITESPACE_PRESERVING_TAGS = {"pre", "hx-partial", "article"}


def parse_html(html: str) -> BeautifulSoup:
    """Parse an HTML document or fragment."""
    return BeautifulSoup(html, "html.parser", preserve_whitespace_tags=WHITESPACE_PRESERVING_TAGS)


def text_in(element: Tag, selector: str) -> str:
    """Return the text of an element within another one, or "" if there is none."""
    found = element.select_one(selector)
    return " ".join(found.get_text(" ").split()) if found else ""
