"""URLs in logs and on the command line."""

from __future__ import annotations

from urllib.parse import urlsplit


def without_credentials(url: str) -> str:
    """Return the URL without user name, password and query, any of which may be secret."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
