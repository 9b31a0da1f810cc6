"""The faces of twins. The browser asks only us: a picture from elsewhere comes through here."""

from __future__ import annotations

from flask import Blueprint, Flask, Response, g, render_template, request, url_for
from werkzeug.routing import BaseConverter

from web.assets import identicon
from web.container import portal

bp = Blueprint("avatars", __name__, url_prefix="/avatars")

# A picture is only a picture, also for whoever opens its address.
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Cross-Origin-Resource-Policy": "same-origin",
}
FOR_A_DAY = "private, max-age=86400, immutable"
NOT_KEPT = "no-store"


class Seed(BaseConverter):
    """Match what a generated face grows from."""

    regex = f"[0-9a-f]{{{2 * identicon.SEED_BYTES}}}"


def init_app(app: Flask) -> None:
    """Let templates say where the face of a twin is."""
    app.url_map.converters["seed"] = Seed
    app.template_filter()(avatar)
    app.template_filter()(drawn)


def avatar(twin_id: str) -> str:
    """Return where the picture of a twin is, "" if it has none; this asks the service nothing."""
    if "twins" not in g:
        g.twins = portal().directory.all_known()
    name = portal().avatars.name(g.twins.get(twin_id))
    return url_for("avatars.show", seed=identicon.seed_of(twin_id), name=name) if name else ""


def drawn(twin_id: str) -> identicon.Face:
    """Draw the face of a twin that has no picture."""
    return identicon.face(identicon.seed_of(twin_id))


@bp.get("/<seed:seed>/<name>")
def show(seed: str, name: str) -> Response:
    """Answer with the picture of that name, or with a generated face if there is none today."""
    found = portal().avatars.find(name)
    if not found:
        svg = render_template("avatars/face.svg", face=identicon.face(seed))
        response = Response(svg, mimetype="image/svg+xml", headers=HEADERS)
        response.headers["Cache-Control"] = NOT_KEPT
        return response
    response = Response(found.content, mimetype=found.type, headers=HEADERS)
    response.headers["Cache-Control"] = FOR_A_DAY
    response.add_etag()
    response.make_conditional(request)
    return response
