"""What the operator chose to show: name, colours, logo, welcome and links; and the manifest."""

from __future__ import annotations

from flask import Blueprint, Flask, Response, current_app, json, redirect, url_for
from werkzeug.wrappers import Response as BaseResponse

from core.branding.palette import Palette
from core.settings import Settings
from web.assets import static_files
from web.container import portal

bp = Blueprint("brand", __name__)

CACHE_ONE_HOUR = "public, max-age=3600"


def init_app(app: Flask, settings: Settings) -> None:
    """Work it all out once, and give it to every template."""
    colours = Palette.from_accent(settings.accent.colour).css_values()
    static_files.init_app(app, colours, settings.logo)
    site_context = {
        "site_name": settings.site_name,
        "colours": colours,
        "logo": settings.logo.filename if settings.logo else "",
        # Files of settings hold one line each: there, a line break is written \n.
        "welcome": settings.welcome.replace("\\n", "\n").strip(),
        "footer_links": settings.footer_links.links,
    }
    app.extensions["brand"] = site_context
    app.context_processor(lambda: site_context)


@bp.get("/manifest.webmanifest")
def manifest() -> Response:
    """Say what the portal is called and how it looks, for whoever keeps it on a home screen."""
    colours = current_app.extensions["brand"]["colours"]
    icon = {"src": static_files.asset_url("icon.svg"), "sizes": "any"}
    name = portal().settings.site_name
    body = {
        "name": name,
        "short_name": name,
        "id": "/",
        "start_url": url_for("twins.index"),
        "display": "minimal-ui",
        "theme_color": colours["light_page_hex"],
        "background_color": colours["light_page_hex"],
        "icons": [
            icon | {"type": "image/svg+xml", "purpose": purpose} for purpose in ("any", "maskable")
        ],
    }
    response = Response(json.dumps(body), mimetype="application/manifest+json")
    response.headers["Cache-Control"] = CACHE_ONE_HOUR
    return response


@bp.get("/favicon.ico")
def favicon() -> BaseResponse:
    """Lead to the icon; what is no page of ours, such as a reply as text, cannot name it."""
    response = redirect(static_files.asset_url("favicon.svg"))
    response.headers["Cache-Control"] = CACHE_ONE_HOUR
    return response
