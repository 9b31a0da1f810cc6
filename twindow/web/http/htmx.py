"""Detection of htmx requests, which get fragments instead of pages."""

from __future__ import annotations

from typing import Any

from flask import Flask, Response, render_template
from htmx_flask import Htmx, make_response
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


def render_fragment(
    template: str,
    status: int = 200,
    *,
    replace_url: str | None = None,
    retarget: str | None = None,
    reswap: str | None = None,
    **values: Any,
) -> Response:
    """Return a response with a part of a page.

    `replace_url` is the new URL of the page; `retarget` and `reswap` are where the part goes, if
    not where the request says.
    """
    html = render_template(template, **values)
    response: Response = make_response(
        html, status, replace_url=replace_url, retarget=retarget, reswap=reswap
    )
    return response


def redirect_page(url: str) -> Response:
    """Return a response that makes htmx load another page."""
    response: Response = make_response("", 204, redirect=url)
    return response


def render_notice(sentence: str, status: int, **values: Any) -> Response:
    """Return a response that makes htmx show a sentence and keep the content of the page."""
    values |= {"sentence": sentence, "status": status}
    html = render_template("errors/_notice.html", **values)
    response: Response = make_response(html, status, retarget="#notices", reswap="innerHTML")
    return response


def _add_htmx_headers(response: Response) -> Response:
    # X-Fragment lets scripts distinguish the portal's responses from a proxy's responses.
    if htmx_request.htmx:
        response.headers["X-Fragment"] = "1"
    if response.mimetype == "text/html":
        response.vary.add("HX-Request")
    return response
