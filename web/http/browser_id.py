"""The id of a browser: a random value in a cookie, which exists before anything is stored."""

from __future__ import annotations

import re
import secrets

from flask import Flask, Response, current_app, g, request, session

from core.secrets import keyed_hash

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


def set_browser_cookie(response: Response, suffix: str, value: str) -> None:
    """Set a cookie that lasts a year; its name is that of the session's cookie and `suffix`."""
    sessions = current_app.session_interface
    response.set_cookie(
        f"{sessions.get_cookie_name(current_app)}{suffix}",
        value,
        max_age=COOKIE_SECONDS,
        path=sessions.get_cookie_path(current_app),
        httponly=True,
        secure=request.is_secure,
        samesite="Lax",
    )


def read_browser_cookie(suffix: str) -> str:
    """Return the value of a cookie of `set_browser_cookie`, or ""."""
    name = current_app.session_interface.get_cookie_name(current_app)
    return request.cookies.get(f"{name}{suffix}", "")


def _read_cookie() -> tuple[str, str]:
    value = _VALUE.fullmatch(g.get("new_browser_id") or read_browser_cookie(_SUFFIX))
    return (value[1], value[2] or "") if value else ("", "")


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
