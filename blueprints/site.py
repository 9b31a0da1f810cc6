"""Pages and files of the site: help, web app manifest, favicon and robots.txt."""

from __future__ import annotations

from flask import (
    Blueprint,
    Response,
    current_app,
    json,
    redirect,
    render_template,
    request,
    url_for,
)
from werkzeug.wrappers import Response as BaseResponse

from twindow.web.assets import static_files
from twindow.web.container import portal
from twindow.web.exemptions import session_not_required, sign_in_not_required
from twindow.web.http import render_fragment, wants_fragment

bp = Blueprint("site", __name__)

CACHE_ONE_HOUR = {"Cache-Control": "public, max-age=3600"}
# What crawlers may request if visitors are allowed: the first page, the twins and the help, and the
# files that these pages need. `$` is the end of a path (RFC 9309).
PUBLIC_PATHS = ("/$", "/twins", "/help", "/static/", "/avatars/")


@bp.get("/manifest.webmanifest")
@session_not_required
def manifest() -> Response:
    """Return the web app manifest, which is used when the portal is on a home screen."""
    colours = current_app.extensions["site_context"]["colours"]
    name = portal().settings.site_name
    body = {
        "name": name,
        "short_name": name,
        "id": url_for("twins.index"),
        "start_url": url_for("twins.index"),
        "display": "standalone",
        "theme_color": colours["light_page_hex"],
        "background_color": colours["light_page_hex"],
        "icons": _icons(),
    }
    return Response(json.dumps(body), mimetype="application/manifest+json", headers=CACHE_ONE_HOUR)


def _icons() -> list[dict[str, str]]:
    """Return the icons of the manifest: the operator's, or those of Twindow."""
    if portal().settings.app_icon:
        src = static_files.asset_url(static_files.APP_ICON)
        return [{"src": src, "sizes": "512x512", "type": "image/png"}]
    names = {"icon-192.png": "192x192", "icon-512.png": "512x512", "icon.svg": "any"}
    return [
        {
            "src": static_files.asset_url(name),
            "sizes": size,
            "type": "image/svg+xml" if size == "any" else "image/png",
            "purpose": purpose,
        }
        for name, size in names.items()
        for purpose in ("any", "maskable")
    ]


@bp.get("/favicon.ico")
@session_not_required
def favicon() -> BaseResponse:
    """Redirect to the icon. Browsers request this path for documents without a link to an icon."""
    response = redirect(static_files.asset_url("favicon.svg"))
    response.headers.update(CACHE_ONE_HOUR)
    return response


@bp.get("/robots.txt")
@session_not_required
def robots() -> Response:
    """Allow crawlers the public pages if visitors are allowed, and otherwise nothing."""
    allows_visitors = portal().settings.sign_in.allows_visitors
    allowed = PUBLIC_PATHS if allows_visitors else ()
    lines = ["User-agent: *", *(f"Allow: {request.script_root}{path}" for path in allowed)]
    body = "\n".join([*lines, f"Disallow: {request.script_root}/", ""])
    return Response(body, mimetype="text/plain", headers=CACHE_ONE_HOUR)


@bp.get("/help")
@sign_in_not_required
def show_help() -> Response | str:
    """Show the help page; an htmx request gets the dialog of keyboard shortcuts."""
    if wants_fragment():
        return render_fragment("help/_shortcuts_dialog.html")
    return render_template("help/show.html")
