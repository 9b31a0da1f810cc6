"""The id of a browser: a random value in a cookie, which exists before anything is stored."""

from __future__ import annotations

import re
import secrets
from urllib.parse import quote

from flask import Flask, Response, current_app, g, request, session

from twindow.core.secrets import keyed_hash

COOKIE_NAME, HOST_PREFIX = "twindow", "__Host-"
COOKIE_SECONDS = 365 * 86_400
_SUFFIX = "-id"
# The id, and after a dot a mark of the person whom a proxy has named.
_VALUE = re.compile(r"([\w-]{43})(?:\.([0-9a-f]{32}))?", re.ASCII)


class CookiesRefused(Exception):
    """Raised when a form needs a browser that keeps cookies."""


def init_app(app: Flask) -> None:
    """Give each browser that opens a page an id."""
    app.after_request(_set_id)


def read_browser_id() -> str:
    """Return the id that the browser has sent, or ""."""
    return _read_cookie()[0]


def require_browser_id() -> str:
    """Return the id of the browser. Raises CookiesRefused if it has sent none."""
    if not (id_ := read_browser_id()):
        raise CookiesRefused
    return id_


def was_used_by(person_id: str) -> bool:
    """Return whether this is the person whom a proxy has last named for this browser.

    The id of the person is "" if a proxy has named nobody.
    """
    id_, mark = _read_cookie()
    return mark == _mark(id_, person_id)


def replace_browser_id(person_id: str) -> None:
    """Give the browser another id, because a proxy names another person for it, or nobody."""
    id_ = secrets.token_urlsafe(32)
    mark = _mark(id_, person_id)
    g.new_browser_id = f"{id_}.{mark}" if mark else id_


def cookie_name(suffix: str = "") -> str:
    """Return the name of a cookie of this portal, which contains its sub-path.

    Browsers accept a `__Host-` cookie only over HTTPS and from the host itself, with the path "/".
    """
    prefix = HOST_PREFIX if request.is_secure else ""
    return f"{prefix}{COOKIE_NAME}{suffix}{quote(request.script_root, safe='')}"


def set_browser_cookie(response: Response, suffix: str, value: str) -> None:
    """Set a cookie that lasts a year."""
    response.set_cookie(
        cookie_name(suffix),
        value,
        max_age=COOKIE_SECONDS,
        httponly=True,
        secure=request.is_secure,
        samesite="Lax",
    )


def _read_cookie() -> tuple[str, str]:
    # Over plain HTTP, another host may have set a second cookie.
    new_id = g.get("new_browser_id")
    values = [new_id] if new_id else request.cookies.getlist(cookie_name(_SUFFIX))
    found = next(filter(None, map(_VALUE.fullmatch, values)), None)
    return (found[1], found[2] or "") if found else ("", "")


def _mark(id_: str, person_id: str) -> str:
    if not person_id:
        return ""
    return keyed_hash(str(current_app.secret_key), "proxy person", id_, person_id)[:32]


def _set_id(response: Response) -> Response:
    is_page = request.method == "GET" and response.mimetype == "text/html"
    has_session = not current_app.session_interface.is_null_session(session)
    if is_page and has_session and not read_browser_id():
        replace_browser_id("")
    if new_id := g.get("new_browser_id"):
        set_browser_cookie(response, _SUFFIX, new_id)
    return response
