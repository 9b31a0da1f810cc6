"""htmx asks for parts of a page, everybody else for the page: one place that tells them apart."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, make_response, render_template
from htmx_flask import Htmx
from htmx_flask import request as htmx_request


def init_app(app: Flask) -> None:
    """Teach requests about htmx, and caches that the answer depends on it."""
    Htmx(app)
    app.add_template_global(wants_fragment)
    app.after_request(_add_htmx_headers)


def wants_fragment() -> bool:
    """Tell whether htmx asks for a part; going back in its history needs the whole page."""
    htmx = htmx_request.htmx
    return bool(htmx) and not htmx.history_restore_request


def render_fragment(template: str, status: int = 200, **values: Any) -> Response:
    """Answer with a part of a page."""
    return make_response(render_template(template, **values), status)


def render_notice(sentence: str, status: int, **values: Any) -> Response:
    """Answer a htmx request with a sentence, beside what the person has before them."""
    values |= {"sentence": sentence, "status": status}
    response = make_response(render_template("errors/_notice.html", **values), status)
    response.headers["HX-Retarget"] = "#notices"
    # Not through htmx-flask: its list of the ways to swap lacks a comma.
    response.headers["HX-Reswap"] = "innerHTML"
    return response


def _add_htmx_headers(response: Response) -> Response:
    # Scripts tell by it what a proxy says in place of the portal.
    if htmx_request.htmx:
        response.headers["X-Fragment"] = "1"
    if response.mimetype == "text/html":
        response.vary.add("HX-Request")
    return response
