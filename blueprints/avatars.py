"""The faces of twins. The browser asks only us: a picture from elsewhere comes through here."""

from __future__ import annotations

from flask import Blueprint, Flask, Response, g, render_template, request, url_for
from werkzeug.routing import BaseConverter

from web.assets import identicon
from web.container import portal

bp = Blueprint("avatars", __name__, url_prefix="/avatars")

# A picture is only a picture, also for whoever opens its address.
IMAGE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
}
CACHE_ONE_DAY = "private, max-age=86400, immutable"
NO_STORE = "no-store"


class IdenticonSeed(BaseConverter):
    """Match what a generated face grows from."""

    regex = f"[0-9a-f]{{{2 * identicon.SEED_BYTES}}}"


def init_app(app: Flask) -> None:
    """Let templates say where the face of a twin is."""
    app.url_map.converters["seed"] = IdenticonSeed
    app.template_filter()(avatar_url)
    app.template_filter()(twin_identicon)


def avatar_url(twin_id: str) -> str:
    """Return where the picture of a twin is, "" if it has none; this asks the service nothing."""
    if "twins" not in g:
        g.twins = portal().catalogue.all_cached()
    name = portal().avatars.image_name(g.twins.get(twin_id))
    return url_for("avatars.show", seed=identicon.seed_for(twin_id), name=name) if name else ""


def twin_identicon(twin_id: str) -> identicon.Identicon:
    """Draw the face of a twin that has no picture."""
    return identicon.generate(identicon.seed_for(twin_id))


@bp.get("/<seed:seed>/<name>")
def show(seed: str, name: str) -> Response:
    """Answer with the picture of that name, or with a generated face if there is none today."""
    image = portal().avatars.find(name)
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
