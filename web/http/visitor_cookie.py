"""The signed cookie of a visitor who has not sent or saved anything yet: the CSRF secret."""

from __future__ import annotations

from typing import Any

from flask import Flask
from itsdangerous import BadData, URLSafeSerializer

from web.session_fields import CSRF_FIELD, OWNER_FIELD

# After this time, forms of a visitor are rejected as expired.
VISITOR_SECONDS = 86_400


def sign_visitor(app: Flask, session: dict[str, Any], now: float) -> str:
    """Return the value of the cookie for a session. It contains nothing that people enter."""
    expires_at, owner = int(now) + VISITOR_SECONDS, session.get(OWNER_FIELD)
    values = [session.get(CSRF_FIELD, ""), expires_at]
    return _serializer(app).dumps([*values, owner] if owner else values)


def read_visitor(app: Flask, cookie: str, now: float) -> dict[str, Any]:
    """Return the items of the session in a cookie, or none if it is invalid or expired."""
    try:
        csrf_secret, expires_at, *owner = _serializer(app).loads(cookie)
    except BadData:
        return {}
    items = {CSRF_FIELD: csrf_secret} | ({OWNER_FIELD: owner[0]} if owner else {})
    return items if now < expires_at else {}


def _serializer(app: Flask) -> URLSafeSerializer:
    return URLSafeSerializer(str(app.secret_key), salt="visitor")
