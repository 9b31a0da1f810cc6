"""Avatars of twins. Images of other sites are proxied: browsers load them from the portal only."""

from __future__ import annotations

from flask import Blueprint, Response, abort, g, render_template, request, url_for

from twindow.web.assets.initials import initials_avatar
from twindow.web.container import portal
from twindow.web.person.twin_permissions import cached_twins

bp = Blueprint("avatars", __name__, url_prefix="/avatars")
bp.add_app_template_global(initials_avatar)

# An image must not run or load anything, even when its URL is opened directly.
IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
}
CACHE_ONE_DAY = "private, max-age=86400, immutable"


@bp.app_template_filter()
def avatar_url(twin_id: str) -> str:
    """Return the URL of a twin's avatar, or "" if it has none. Does not call the service."""
    if "twins" not in g:
        g.twins = cached_twins()
    name = portal().avatars.name_of(g.twins.get(twin_id))
    return url_for("avatars.show", twin_id=twin_id, name=name) if name else ""


@bp.get("/<twin:twin_id>/<name>")
def show(twin_id: str, name: str) -> Response:
    """Return the image with this name, or the initials of the twin if it is unavailable."""
    twins = cached_twins()
    if twin_id not in twins:
        abort(404)
    image = portal().avatars.find(name, twins)
    if not image:
        svg = render_template("avatars/initials.svg", twin=twins[twin_id])
        return Response(svg, mimetype="image/svg+xml", headers=IMAGE_HEADERS)
    response = Response(image.content, mimetype=image.media_type, headers=IMAGE_HEADERS)
    response.headers["Cache-Control"] = CACHE_ONE_DAY
    response.add_etag()
    response.make_conditional(request)
    return response
