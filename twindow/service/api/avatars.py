"""Avatar endpoint. URLs contain a content hash: they need no key and can be cached forever."""

from __future__ import annotations

from flask import Blueprint, Response, request, url_for

from twindow.service.api.errors import not_found_error
from twindow.service.container import container
from twindow.service.file_stamp import UnreadableFile
from twindow.service.twins import Twin, has_external_avatar

bp = Blueprint("avatars", __name__, url_prefix="/api/v1/avatars")

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cache-Control": "public, max-age=31536000, immutable",
    "Cross-Origin-Resource-Policy": "cross-origin",
}


@bp.get("/<name>")
def show(name: str) -> Response:
    """Return an avatar by name. Needs no API key, because an <img> cannot send one."""
    image = container().twins.find_image(name)
    if image is None:
        raise not_found_error()
    try:
        response = Response(image.read(), mimetype=image.media_type, headers=HEADERS)
    except UnreadableFile:
        raise not_found_error() from None
    response.set_etag(image.name)
    response.make_conditional(request)
    return response


def avatar_url(twin: Twin) -> str | None:
    """Return the URL of the avatar of a twin, local or external, or None."""
    if has_external_avatar(twin):
        return twin.front_matter.avatar
    image = container().twins.find_avatar(twin)
    return url_for("avatars.show", name=image.name) if image else None
