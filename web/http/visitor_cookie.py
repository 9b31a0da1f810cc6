"""The signed cookie of a visitor who has not sent or saved anything yet: the CSRF secret."""

from __future__ import annotations

from typing import Any

from flask import Flask
from itsdangerous import BadData, URLSafeSerializer

# After this time, forms of a visitor are rejected as expired.
VISITOR_SECONDS = 86_400
CSRF_FIELD = "csrf_token"  # Flask-WTF's default


def sign_visitor(app: Flask, session: dict[str, Any], now: float) -> str:
    """Return the value of the cookie for a session. It contains nothing that people enter."""
    return _serializer(app).dumps([session.get(CSRF_FIELD, ""), int(now) + VISITOR_SECONDS])


def read_visitor(app: Flask, cookie: str, now: float) -> dict[str, Any]:
    """Return the items of the session in a cookie, or none if it is invalid or expired."""
    try:
        csrf_secret, expires_at = _serializer(app).loads(cookie)
    except BadData:
        return {}
    return {CSRF_FIELD: csrf_secret} if now < expires_at else {}


def _serializer(app: Flask) -> URLSafeSerializer:
    return URLSafeSerializer(str(app.secret_key), salt="visitor")
