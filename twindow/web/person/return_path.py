"""The page to which a person returns after signing in."""

from __future__ import annotations

from urllib.parse import quote, unquote, urlsplit

from flask import current_app, redirect, session, url_for
from htmx_flask import request
from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Response as BaseResponse

from twindow.web.session.fields import VISITOR_FIELD

MAX_PATH_CHARACTERS = 2_000


def return_path(text: str) -> str:
    """Return `text` if it is a path of this portal, otherwise the path of the first page.

    Browsers take `//host` and `/\\host` for other sites, and drop tabs and line breaks (WHATWG
    URL, 4.4), so such texts are refused.
    """
    root = f"{request.script_root}/"
    is_path = text.startswith(root) and not text.startswith("//") and "\\" not in text
    # Browsers resolve dot segments, so a path with them could lead out of the portal.
    segments = unquote(urlsplit(text).path).split("/") if is_path else []
    is_path = is_path and not {".", ".."}.intersection(segments)
    is_plain = text.isascii() and text.isprintable() and len(text) <= MAX_PATH_CHARACTERS
    return text if is_path and is_plain else url_for("twins.index")


def endpoint_of_page(text: str) -> str:
    """Return the endpoint of a path with its query, or "" if it is no page of this portal.

    The path of a form that answers POST requests only is no page.
    """
    adapter = current_app.create_url_adapter(request) if text == return_path(text) else None
    if adapter is None:
        return ""
    try:
        path = urlsplit(text).path.removeprefix(request.script_root)
        endpoint, _ = adapter.match(path, method="GET")
    except HTTPException:
        return ""
    return str(endpoint)


def return_to(path: str) -> BaseResponse:
    """Redirect to a page, or first to the question about the conversations of the visitor."""
    return redirect(url_for("adoption.show", next=path) if VISITOR_FIELD in session else path, 303)


def sign_in_url(*, has_ended: bool = False) -> str:
    """Return the URL of the sign-in page, which leads back to the current page.

    The page says why the person is there: `has_ended` means that their sign-in has ended.
    """
    return url_for("session.new", next=current_page(), ended=1 if has_ended else None)


def current_page() -> str | None:
    """Return the path and query of the current page.

    For a form or a fragment request, this is the page that sent the request.
    """
    if request.method in ("GET", "HEAD") and not request.htmx:
        path = quote(request.script_root + request.path)
        query = request.query_string.decode("latin-1")
        is_first_page = request.path == "/" and not query
        return None if is_first_page else f"{path}?{query}" if query else path
    try:
        sender = urlsplit(request.htmx.current_url or request.referrer or "")
    except ValueError:
        return None
    if sender.netloc != request.host:
        return None
    return f"{sender.path}?{sender.query}" if sender.query else sender.path
