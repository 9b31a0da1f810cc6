"""Start and end of a sign-in in the session of this browser."""

from __future__ import annotations

import secrets

from flask import Response, after_this_request, current_app, g, request, session

from accounts import SignIn
from web.container import portal
from web.session_fields import (
    CSRF_FIELD,
    DECLINED_FIELD,
    PREFERENCES_FIELD,
    PROXY_PERSON_FIELD,
    SIGN_IN_FIELD,
    VISITOR_FIELD,
)

# These fields survive a sign-in and a sign-out: the preferences, the id of the visitor, and the ids
# of the people who declined to adopt the visitor's conversations.
KEPT_FIELDS = (PREFERENCES_FIELD, VISITOR_FIELD, DECLINED_FIELD)


BROWSER_COOKIE_SECONDS = 365 * 86_400


def begin_sign_in(sign_in: SignIn) -> None:
    """Store the sign-in in a new session, so that a planted session id is worthless.

    Also sets a cookie by which the portal knows this browser when the person signs in again.
    """
    _replace_items({SIGN_IN_FIELD: sign_in.id})
    session.permanent = True
    session.sid = secrets.token_urlsafe(32)  # type: ignore[attr-defined]
    token = portal().accounts.create_browser_token(sign_in.person_id)
    sessions = current_app.session_interface

    @after_this_request
    def set_browser_cookie(response: Response) -> Response:
        response.set_cookie(
            _browser_cookie_name(),
            token,
            max_age=BROWSER_COOKIE_SECONDS,
            path=sessions.get_cookie_path(current_app),
            httponly=True,
            secure=request.is_secure,
            samesite="Lax",
        )
        return response


def browser_token() -> str:
    """Return the token of this browser, or "" if nobody has signed in here before."""
    return request.cookies.get(_browser_cookie_name(), "")


def _browser_cookie_name() -> str:
    return f"{current_app.session_interface.get_cookie_name(current_app)}-browser"


def change_proxy_person(person_id: str) -> None:
    """Replace the session because the proxy reports another person, or none (`person_id` is "").

    Forms of the previous person are no longer accepted.
    """
    _replace_items({PROXY_PERSON_FIELD: person_id} if person_id else {})
    session.sid = secrets.token_urlsafe(32)  # type: ignore[attr-defined]


def end_sign_in() -> None:
    """Replace the session with a visitor's session."""
    _replace_items({})
    session.sid = secrets.token_urlsafe(32)  # type: ignore[attr-defined]


def _replace_items(items: dict[str, str]) -> None:
    kept = {name: session[name] for name in KEPT_FIELDS if name in session}
    if SIGN_IN_FIELD in session:
        portal().accounts.sign_ins.end(session[SIGN_IN_FIELD])
    # Also drop the CSRF secret: another site may have planted the cookie that contains it.
    session.clear()
    session.update(kept | items)
    session.permanent = bool(kept)
    g.pop(CSRF_FIELD, None)
