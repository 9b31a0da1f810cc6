"""URLs: their origin and path, and their form in logs and on the command line."""

from __future__ import annotations

import re
from ipaddress import ip_address
from typing import Any
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


def is_https_or_loopback(url: str) -> bool:
    """Return whether nobody between can read what is sent to a URL."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    try:
        is_loopback = host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        is_loopback = False
    return bool(host) and (parts.scheme == "https" or (parts.scheme == "http" and is_loopback))


# First segments of the paths within the site. A sub-path must not begin with one of these segments:
# the portal could not tell whether a proxy has removed the sub-path.
OWN_PATHS = {
    "api",
    "avatars",
    "conversations",
    "favicon.ico",
    "healthz",
    "help",
    "keys",
    "livez",
    "manifest.webmanifest",
    "metrics",
    "preferences",
    "readyz",
    "robots.txt",
    "search",
    "session",
    "static",
    "turns",
    "twins",
}
_PATH = re.compile(r"(/[A-Za-z0-9._~-]+)*", re.ASCII)


def path_of_url(url: str) -> str:
    """Return the path of the site's public URL, without a slash at its end; "" for the root.

    Raises ValueError if the URL has a query or fragment, or if its path needs encoding, contains
    the segment `.` or `..`, or begins with one of `OWN_PATHS`.
    """
    parts = urlsplit(url)
    path = parts.path.rstrip("/")
    segments = path.split("/")[1:]
    is_ambiguous = bool(OWN_PATHS.intersection(segments[:1]) or {".", ".."}.intersection(segments))
    if parts.query or parts.fragment or is_ambiguous or not _PATH.fullmatch(path):
        raise ValueError(url)
    return path


def enter_sub_path(environ: dict[str, Any], path: str) -> None:
    """Set SCRIPT_NAME to the sub-path, and remove it from PATH_INFO.

    PATH_INFO lacks the sub-path if a proxy has removed it, or if the portal calls its own service.
    """
    requested = environ["PATH_INFO"]
    environ["SCRIPT_NAME"] = path
    if f"{requested}/".startswith(f"{path}/"):
        environ["PATH_INFO"] = requested[len(path) :] or "/"
