"""URLs: their origin, and their form in logs and on the command line."""

from __future__ import annotations

from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


def without_credentials(url: str) -> str:
    """Return the URL without user name, password and query, any of which may be secret."""
    parts = urlsplit(url)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def origin_of(url: str) -> str:
    """Return the origin (RFC 6454) of an http or https URL, such as "https://example.org:8443".

    Raises ValueError for any other URL.
    """
    parts = urlsplit(url)
    if parts.scheme not in _DEFAULT_PORTS or not parts.hostname:
        raise ValueError("it is not an http or https URL")
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    default_port = _DEFAULT_PORTS[parts.scheme]
    port = f":{parts.port}" if parts.port not in (None, default_port) else ""
    return f"{parts.scheme}://{host}{port}"
