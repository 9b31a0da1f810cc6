"""Images are links: the host of a loaded image would learn what a person reads."""

from __future__ import annotations

import re

_IMAGE = re.compile(r'<img src="([^"]*)" alt="([^"]*)"[^>]*/>')
_LINK = re.compile(r"<a [^>]*>.*?</a>", re.DOTALL)
_DATA = re.compile(r"(data:[\w/+.-]+;base64,)([A-Za-z0-9+/]{200,}=*)")
_CONTINUED = re.compile(r"(data:[\w/+.-]+;base64,)([0-9]{1,9})-bytes([A-Za-z0-9+/]+=*)")
_SHORTENED = re.compile(r"data:([\w/+.-]+);base64,([0-9]{1,9})-bytes")


def shorten_data(text: str) -> str:
    """Replace long data in URLs by its size, so that it is no wall of letters.

    The data may go on after the size, in a text that grows.
    """
    text = _CONTINUED.sub(
        lambda data: f"{data[1]}{int(data[2]) + len(data[3]) * 3 // 4}-bytes", text
    )
    return _DATA.sub(lambda data: f"{data[1]}{len(data[2]) * 3 // 4}-bytes", text)


def replace_images(html: str) -> str:
    """Replace images by links with their text; an image within a link becomes its text."""
    html = _LINK.sub(lambda link: _IMAGE.sub(r"\2", link[0]), html)
    return _IMAGE.sub(_replacement, html)


def _replacement(match: re.Match[str]) -> str:
    url, text = match[1], match[2]
    if data := _SHORTENED.match(url):
        return f"{text} ({data[1]}, {-(-int(data[2]) // 1024)} KB)".lstrip()
    if not url.startswith("http"):
        return text
    return f'<a href="{url}">{text or url.rpartition("/")[2] or url}</a>'
