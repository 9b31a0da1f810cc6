"""Names of browsers, by which people recognise their sign-ins."""

from __future__ import annotations

from flask import request

# The first match wins: Edge and Opera also send "Chrome", and Chrome also sends "Safari".
BROWSERS = (
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("Firefox/", "Firefox"),
    ("FxiOS/", "Firefox"),
    ("Chrome/", "Chrome"),
    ("CriOS/", "Chrome"),
    ("Safari/", "Safari"),
)
SYSTEMS = (
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("Macintosh", "Mac"),
    ("CrOS", "ChromeOS"),
    ("Linux", "Linux"),
)


def describe_device() -> str:
    """Return browser and system of this request, such as "Firefox, Linux"; "" if unknown."""
    user_agent = request.user_agent.string
    found = (
        next((name for mark, name in names if mark in user_agent), "")
        for names in (BROWSERS, SYSTEMS)
    )
    return ", ".join(name for name in found if name)
