"""Avatars over HTTP: addressed by content, so that they need no key and never grow old."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from service.api.errors import not_found
from service.container import parts
from service.twins.avatars import is_elsewhere
from service.twins.twin import Twin

bp = Blueprint("avatars", __name__, url_prefix="/api/v1/avatars")

HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "public, max-age=31536000, immutable",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@bp.get("/<name>")
def show(name: str) -> Response:
    """Return the avatar of a twin to anybody who knows its name: an <img> can send no key."""
    picture = parts().twins.picture(name)
    if picture is None:
        raise not_found()
    response = Response(picture.content, mimetype=picture.type, headers=HEADERS)
    response.set_etag(picture.name)
    response.make_conditional(request)
    return response


def url_of(twin: Twin) -> str | None:
    """Return where the avatar of a twin is: here, elsewhere, or nowhere."""
    if is_elsewhere(twin):
        return twin.about.avatar
    picture = parts().twins.avatars.of(twin)
    return url_for("avatars.show", name=picture.name) if picture else None
