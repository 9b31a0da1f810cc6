"""The signed cookie, with a CSRF secret, of a visitor who has not sent or saved anything yet."""

from __future__ import annotations

from typing import Any, NamedTuple

from flask import Flask
from itsdangerous import BadData, URLSafeSerializer

from web.session_fields import CSRF_FIELD, PROXY_PERSON_FIELD

# After this time, forms of a visitor are rejected as expired.
VISITOR_SECONDS = 86_400


class Visitor(NamedTuple):
    """The items of a visitor's session, and whether its cookie should be issued again."""

    items: dict[str, Any]
    is_aging: bool


def sign_visitor(app: Flask, session: dict[str, Any], binding: str, now: float) -> str:
    """Return the value of the cookie for a session. It contains nothing that people enter.

    The value is valid only together with the `binding`, which may be empty.
    """
    values = [session.get(CSRF_FIELD, ""), int(now) + VISITOR_SECONDS]
    proxy_person = session.get(PROXY_PERSON_FIELD)
    return _serializer(app, binding).dumps([*values, proxy_person] if proxy_person else values)


def read_visitor(app: Flask, cookie: str, binding: str, now: float) -> Visitor:
    """Return the items of the session in a cookie, or none if it is invalid or expired."""
    try:
        csrf_secret, expires_at, *proxy_person = _serializer(app, binding).loads(cookie)
    except BadData:
        return Visitor({}, is_aging=False)
    if now >= expires_at:
        return Visitor({}, is_aging=False)
    items = {CSRF_FIELD: csrf_secret}
    if proxy_person:
        items[PROXY_PERSON_FIELD] = proxy_person[0]
    return Visitor(items, is_aging=expires_at - now < VISITOR_SECONDS / 2)


def _serializer(app: Flask, binding: str) -> URLSafeSerializer:
    return URLSafeSerializer(str(app.secret_key), salt=f"visitor{binding}")
