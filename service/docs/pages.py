"""Pages of the API documentation: the OpenAPI document and an HTML page."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from flask import Blueprint, Response, render_template, request, send_from_directory

from service.access import REQUESTS_PER_HOUR
from service.api import ERRORS_BY_STATUS
from service.api.routes import operations
from service.docs import openapi

bp = Blueprint("pages", __name__, url_prefix="/api/v1", template_folder="templates")

# The page has no scripts and loads nothing but its stylesheet.
CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "form-action 'none'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
REVALIDATE_HEADERS = {"Cache-Control": "no-cache"}
PAGE_HEADERS = REVALIDATE_HEADERS | {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Referrer-Policy": "same-origin",
}
# Documents are cached for each base URL; a service usually has only a few base URLs.
MAX_CACHED_BASE_URLS = 16


@dataclass(frozen=True, slots=True)
class CachedText:
    """A generated text and its ETag."""

    text: str
    etag: str


@bp.get("/openapi.json")
def document() -> Response:
    """Return the OpenAPI document. Needs no API key."""
    return _conditional_response(
        _build_openapi_json(request.script_root), "application/json", REVALIDATE_HEADERS
    )


@bp.get("/docs")
def page() -> Response:
    """Return the HTML page of the documentation."""
    try:
        url = request.url_root
    except UnicodeError:  # the Host header is not a valid name
        url = f"{request.script_root}/"
    return _conditional_response(_build_page(request.script_root, url), "text/html", PAGE_HEADERS)


@bp.get("/docs.css")
def style() -> Response:
    """Return the stylesheet of the page."""
    return send_from_directory(Path(__file__).parent / "static", "docs.css")


@lru_cache(MAX_CACHED_BASE_URLS)
def _build_openapi_json(base_path: str) -> CachedText:
    return _with_etag(json.dumps(openapi.build_document(operations.all, base_path)))


@lru_cache(MAX_CACHED_BASE_URLS)
def _build_page(base_path: str, base_url: str) -> CachedText:
    spec = json.loads(_build_openapi_json(base_path).text)
    described_operations = [
        (operation, spec["paths"][openapi.path_template(operation)][operation.method.lower()])
        for operation in operations.all
    ]
    request_names = {operation.body.__name__ for operation in operations.all if operation.body}
    schema_names = [
        name
        for name in spec["components"]["schemas"]
        if name not in request_names and "_" not in name
    ]
    return _with_etag(
        render_template(
            "docs.html",
            document=spec,
            described_operations=described_operations,
            schema_names=sorted(schema_names),
            path_template=openapi.path_template,
            errors_by_status=ERRORS_BY_STATUS,
            requests_per_hour=REQUESTS_PER_HOUR,
            non_null_schema=openapi.non_null_schema,
            base_url=f"{base_url}api/v1",
        )
    )


def _with_etag(text: str) -> CachedText:
    return CachedText(text, hashlib.sha256(text.encode()).hexdigest()[:32])


def _conditional_response(cached: CachedText, media_type: str, headers: dict[str, str]) -> Response:
    response = Response(cached.text, mimetype=media_type, headers=headers)
    response.set_etag(cached.etag)
    response.make_conditional(request)
    return response
