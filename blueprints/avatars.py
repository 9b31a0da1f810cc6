"""Avatars of twins. Images of other sites are proxied: browsers load them from the portal only."""

from __future__ import annotations

from flask import Blueprint, Flask, Response, g, render_template, request, url_for
from werkzeug.routing import BaseConverter

from web.assets import identicon
from web.container import portal
from web.person.twin_access import cached_twins

bp = Blueprint("avatars", __name__, url_prefix="/avatars")

# An image must not run or load anything, even when its URL is opened directly.
IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
}
CACHE_ONE_DAY = "private, max-age=86400, immutable"
NO_STORE = "no-store"


class IdenticonSeed(BaseConverter):
    """URL converter for the hexadecimal seed from which an avatar is generated."""

    regex = f"[0-9a-f]{{{2 * identicon.SEED_BYTES}}}"


def init_app(app: Flask) -> None:
    """Register the URL converter and the template filters."""
    app.url_map.converters["seed"] = IdenticonSeed
    app.template_filter()(avatar_url)
    app.template_filter()(twin_identicon)


def avatar_url(twin_id: str) -> str:
    """Return the URL of a twin's avatar, or "" if it has none. Does not call the service."""
    if "twins" not in g:
        g.twins = cached_twins()
    name = portal().avatars.name_of(g.twins.get(twin_id))
    return url_for("avatars.show", seed=identicon.seed_for(twin_id), name=name) if name else ""


def twin_identicon(twin_id: str) -> identicon.Identicon:
    """Return the generated avatar of a twin without an image."""
    return identicon.generate(identicon.seed_for(twin_id))


@bp.get("/<seed:seed>/<name>")
def show(seed: str, name: str) -> Response:
    """Return the image with this name, or a generated avatar if the image is unavailable."""
    image = portal().avatars.find(name, cached_twins())
    if not image:
        svg = render_template("avatars/identicon.svg", face=identicon.generate(seed))
        response = Response(svg, mimetype="image/svg+xml", headers=IMAGE_HEADERS)
        response.headers["Cache-Control"] = NO_STORE
        return response
    response = Response(image.content, mimetype=image.media_type, headers=IMAGE_HEADERS)
    response.headers["Cache-Control"] = CACHE_ONE_DAY
    response.add_etag()
    response.make_conditional(request)
    return response
