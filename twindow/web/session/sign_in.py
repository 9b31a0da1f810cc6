"""Start and end of a sign-in in the session of this browser."""

from __future__ import annotations

import secrets

from flask import Response, after_this_request, request, session

from twindow.accounts import SignIn
from twindow.web.container import portal
from twindow.web.session.browser_id import cookie_name, replace_browser_id, set_browser_cookie
from twindow.web.session.fields import (
    DECLINED_FIELD,
    PREFERENCES_FIELD,
    SIGN_IN_FIELD,
    VISITOR_FIELD,
)

# These fields survive a sign-in and a sign-out: the preferences, the id of the visitor, and the ids
# of the people who declined to adopt the visitor's conversations.
KEPT_FIELDS = (PREFERENCES_FIELD, VISITOR_FIELD, DECLINED_FIELD)
_KNOWN_BROWSER = "-browser"


def begin_sign_in(sign_in: SignIn) -> None:
    """Store the sign-in in a new session, so that a planted session id is worthless.

    Also sets a cookie by which the portal knows this browser when the person signs in again.
    """
    _replace_items({SIGN_IN_FIELD: sign_in.id})
    token = portal().accounts.create_browser_token(sign_in.person_id)

    @after_this_request
    def remember_browser(response: Response) -> Response:
        set_browser_cookie(response, _KNOWN_BROWSER, token)
        return response


def browser_token() -> str:
    """Return the token of this browser, or "" if nobody has signed in here before."""
    return request.cookies.get(cookie_name(_KNOWN_BROWSER), "")


def change_proxy_person(person_id: str) -> None:
    """Replace the session because the proxy names another person, or nobody ("")."""
    end_sign_in()
    replace_browser_id(person_id)


def end_sign_in() -> None:
    """Replace the session with a visitor's session."""
    _replace_items({})


def _replace_items(items: dict[str, str]) -> None:
    kept = {name: session[name] for name in KEPT_FIELDS if name in session}
    if SIGN_IN_FIELD in session:
        portal().accounts.sign_ins.end(session[SIGN_IN_FIELD])
    session.clear()
    session.update(kept | items)
    session.permanent = bool(kept | items)
    session.sid = secrets.token_urlsafe(32)  # type: ignore[attr-defined]
