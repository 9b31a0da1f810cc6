"""Detection of htmx requests, which get fragments instead of pages."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, make_response, render_template
from htmx_flask import Htmx
from htmx_flask import request as htmx_request


def init_app(app: Flask) -> None:
    """Set up htmx-flask, and response headers for scripts and caches."""
    Htmx(app)
    app.add_template_global(wants_fragment)
    app.after_request(_add_htmx_headers)


def wants_fragment() -> bool:
    """Return whether htmx requests a fragment. To restore history, htmx requests a full page."""
    htmx = htmx_request.htmx
    return bool(htmx) and not htmx.history_restore_request


def render_fragment(template: str, status: int = 200, **values: Any) -> Response:
    """Return a response with a part of a page."""
    return make_response(render_template(template, **values), status)


def render_notice(sentence: str, status: int, **values: Any) -> Response:
    """Return a response that makes htmx show a sentence and keep the content of the page."""
    values |= {"sentence": sentence, "status": status}
    response = make_response(render_template("errors/_notice.html", **values), status)
    response.headers["HX-Retarget"] = "#notices"
    response.headers["HX-Reswap"] = "innerHTML"
    return response


def _add_htmx_headers(response: Response) -> Response:
    # X-Fragment lets scripts distinguish the portal's responses from a proxy's responses.
    if htmx_request.htmx:
        response.headers["X-Fragment"] = "1"
    if response.mimetype == "text/html":
        response.vary.add("HX-Request")
    return response
