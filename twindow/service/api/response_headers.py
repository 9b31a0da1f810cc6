"""Headers of all responses."""

from __future__ import annotations

import re
import secrets

from flask import Response, g, request

REQUEST_ID_HEADER = "X-Request-Id"
# Visible ASCII without quotation marks, so that an id cannot forge entries in a log.
_REQUEST_ID = re.compile(r"[!#-~]{1,200}")


def request_id() -> str:
    """Return the id of this request: the client's id if it is valid, or else a new id."""
    if "request_id" not in g:
        given = request.headers.get(REQUEST_ID_HEADER, "")
        g.request_id = given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(16)
    return str(g.request_id)


def add_response_headers(response: Response) -> Response:
    """Add the headers of all responses. Headers of the view are kept, except X-Request-Id."""
    headers = response.headers
    headers[REQUEST_ID_HEADER] = request_id()
    headers.setdefault("Cache-Control", "no-store")
    headers.setdefault("X-Content-Type-Options", "nosniff")
    if request.is_secure:
        headers.setdefault("Strict-Transport-Security", "max-age=31536000")
    return response
