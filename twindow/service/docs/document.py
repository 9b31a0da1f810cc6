"""The OpenAPI document, which needs no API key."""

from __future__ import annotations

import json
from functools import lru_cache

from flask import Blueprint, Response, request

from twindow.service.api.routes import operations
from twindow.service.docs.openapi import build_document

bp = Blueprint("docs", __name__, url_prefix="/api/v1")

# The document is cached for each base path; a service usually has one.
MAX_CACHED_BASE_PATHS = 16


@bp.get("/openapi.json")
def show() -> Response:
    """Return the document, or 304 if the client has it."""
    text = _build_json(request.script_root)
    response = Response(text, mimetype="application/json", headers={"Cache-Control": "no-cache"})
    response.add_etag()
    response.make_conditional(request)
    return response


@lru_cache(MAX_CACHED_BASE_PATHS)
def _build_json(base_path: str) -> str:
    return json.dumps(build_document(operations.all, base_path))
