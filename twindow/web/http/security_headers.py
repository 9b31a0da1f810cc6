"""Security headers of all responses, and the request id."""

from __future__ import annotations

import secrets
from collections.abc import Collection
from http import HTTPStatus

from flask import Flask, Response, current_app, g, request
from werkzeug import Response as BaseResponse

from twindow.core.server import logs

PAGE_CSP = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
)


def init_app(app: Flask, frame_ancestors: Collection[str]) -> None:
    """Set the headers on each response, and register `request_id` for templates.

    `frame_ancestors` are the origins whose pages may show the portal in a frame.
    """
    ancestors = " ".join(sorted(frame_ancestors)) or "'none'"
    app.config["PAGE_CSP"] = ";".join((*PAGE_CSP, f"frame-ancestors {ancestors}"))
    app.after_request(_add_security_headers)
    app.add_template_global(request_id)
    logs.init_app(app, request_id)


def request_id() -> str:
    """Return the id of this request, which is shown to the person and written to the log."""
    if "request_id" not in g:
        g.request_id = secrets.token_hex(4)
    return str(g.request_id)


def add_file_headers(response: BaseResponse, *, is_https: bool) -> None:
    """Set the headers that all responses need, even static files."""
    response.headers.setdefault("X-Content-Type-Options", "nosniff")
    if is_https:
        response.headers.setdefault("Strict-Transport-Security", "max-age=31536000")


def _add_security_headers(response: Response) -> Response:
    add_file_headers(response, is_https=request.is_secure)
    headers = response.headers
    media_type = response.mimetype or ""
    # Images do not need these headers, which restrict only documents.
    if not media_type.startswith("image/"):
        headers.setdefault("Content-Security-Policy", current_app.config["PAGE_CSP"])
        headers.setdefault("Referrer-Policy", "same-origin")
        headers.setdefault("Permissions-Policy", "camera=(),geolocation=(),microphone=()")
    if response.status_code >= HTTPStatus.BAD_REQUEST:
        headers.setdefault("X-Request-Id", request_id())
    # The back button must not show an old copy of a conversation, without the newest message.
    headers.setdefault("Cache-Control", "no-store")
    return response
