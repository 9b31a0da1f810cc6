"""The interface described: a document for programs, and a page for people."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from flask import Blueprint, Response, render_template, request, send_from_directory

from service.access.rate_limit import PER_HOUR
from service.api.errors import MEANINGS
from service.api.routes import operations
from service.docs import examples, openapi

bp = Blueprint("pages", __name__, url_prefix="/api/v1", template_folder="templates")

# Nothing runs on it and nothing is fetched for it but its own style.
POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
CACHED = {"Cache-Control": "no-cache"}
HEADERS = CACHED | {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}
# They are made once for each address by which the service is called, and of these there are few.
ADDRESSES = 16


@dataclass(frozen=True, slots=True)
class Made:
    """What was written, and a tag by which a client knows it again."""

    text: str
    tag: str


@bp.get("/openapi.json")
def document() -> Response:
    """Return the OpenAPI document; it needs no key."""
    return _answer(_document(request.script_root), "application/json", CACHED)


@bp.get("/docs")
def page() -> Response:
    """Show the document to people."""
    try:
        url = request.url_root
    except UnicodeError:  # a Host that is no name
        url = f"{request.script_root}/"
    return _answer(_page(request.script_root, url), "text/html", HEADERS)


@bp.get("/docs.css")
def style() -> Response:
    """Return the style of the page."""
    response = send_from_directory(Path(__file__).parent / "static", "docs.css")
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response


@lru_cache(ADDRESSES)
def _document(root: str) -> Made:
    return _made(json.dumps(openapi.document(operations.all, root)))


@lru_cache(ADDRESSES)
def _page(root: str, url: str) -> Made:
    whole = json.loads(_document(root).text)
    described = [
        (operation, whole["paths"][openapi.address(operation)][operation.method.lower()])
        for operation in operations.all
    ]
    bodies = {operation.body.__name__ for operation in operations.all if operation.body}
    shapes = [
        name for name in whole["components"]["schemas"] if name not in bodies and "_" not in name
    ]
    return _made(
        render_template(
            "docs.html",
            document=whole,
            described=described,
            shapes=sorted(shapes),
            address=openapi.address,
            examples=examples.of,
            meanings=MEANINGS,
            per_hour=PER_HOUR,
            given=openapi.given,
            api=f"{url}api/v1",
        )
    )


def _made(text: str) -> Made:
    return Made(text, hashlib.sha256(text.encode()).hexdigest()[:32])


def _answer(made: Made, kind: str, headers: dict[str, str]) -> Response:
    response = Response(made.text, mimetype=kind, headers=headers)
    response.set_etag(made.tag)
    response.make_conditional(request)
    return response
