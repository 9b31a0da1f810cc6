"""A site below the root of its host, such as https://example.org/chat/."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

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
    "preferences",
    "readyz",
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
