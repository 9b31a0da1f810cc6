"""The interface described: a document for programs, and a page for people."""

from __future__ import annotations

import json
from pathlib import Path

from flask import Blueprint, Response, render_template, request, send_from_directory

from service import examples, openapi
from service.endpoints import operations

bp = Blueprint("pages", __name__, url_prefix="/api/v1", template_folder="templates")

# Nothing runs on it and nothing is fetched for it but its own style.
POLICY = "default-src 'none'; style-src 'self'; base-uri 'none'; frame-ancestors 'none'"
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


@bp.get("/openapi.json")
def document() -> Response:
    """Return the OpenAPI document; it needs no key."""
    written = json.dumps(openapi.document(operations.all, request.script_root))
    return Response(written, mimetype="application/json", headers={"Cache-Control": "no-cache"})


@bp.get("/docs")
def page() -> Response:
    """Show the document to people."""
    whole = openapi.document(operations.all, request.script_root)
    described = [
        (operation, whole["paths"][openapi.address(operation)][operation.method.lower()])
        for operation in operations.all
    ]
    bodies = {operation.body.__name__ for operation in operations.all if operation.body}
    shapes = [
        name for name in whole["components"]["schemas"] if name not in bodies and "_" not in name
    ]
    html = render_template(
        "docs.html",
        document=whole,
        described=described,
        shapes=sorted(shapes),
        address=openapi.address,
        examples=examples.of,
        api=f"{request.url_root}api/v1",
    )
    return Response(html, headers=HEADERS)


@bp.get("/docs.css")
def style() -> Response:
    """Return the style of the page."""
    response = send_from_directory(Path(__file__).parent / "static", "docs.css")
    response.headers["X-Content-Type-Options"] = "nosniff"
    return response
