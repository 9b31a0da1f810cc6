"""Headers that every answer of the portal carries."""

from __future__ import annotations

import secrets
from http import HTTPStatus

from flask import Flask, Response, g, request
from werkzeug import Response as BaseResponse

POLICY = ";".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "manifest-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)


def init_app(app: Flask) -> None:
    """Set the headers on every answer."""
    app.after_request(_harden)
    app.add_template_global(request_id)


def request_id() -> str:
    """Return a short name for this request: the person can tell it, and the log says it."""
    if "request_id" not in g:
        g.request_id = secrets.token_hex(4)
    return str(g.request_id)


def harden_file(response: BaseResponse, *, by_https: bool) -> None:
    """Set the headers that files carry as well."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if by_https:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")


def _harden(response: Response) -> Response:
    harden_file(response, by_https=request.is_secure)
    headers = response.headers
    kind = response.mimetype or ""
    # These are about pages and what they may do; in the answers with pictures they only cost bytes.
    if not kind.startswith("image/"):
        headers.setdefault("Content-Security-Policy", POLICY)
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Permissions-Policy", "camera=(),geolocation=(),microphone=()")
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        headers.setdefault("X-Request-Id", request_id())
    # Back must not show a conversation as it was before the message was sent.
    headers.setdefault("Cache-Control", "no-store")
    return response
