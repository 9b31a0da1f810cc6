"""Style and script: each one file on the wire, compressed once, and kept for ever by its hash."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from flask import Blueprint, Flask, current_app, url_for
from werkzeug import Request, Response

from core.branding.logo import Logo
from web.assets.bundles import BUNDLES, ENCODINGS, Asset, make
from web.http.security_headers import harden_file

bp = Blueprint("assets", __name__)
bp.add_url_rule("/static/<version>/<name>", endpoint="show", build_only=True)

# Styles and scripts are in UTF-8, like the pages that ask for them.
TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
}
# The operator's picture runs nothing and loads nothing, whoever drew it and however it is opened.
PICTURE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


class Assets:
    """Answer with files before the app is asked: they need no session, no person, no language."""

    def __init__(
        self, app: Flask, bundles: Mapping[str, tuple[str, ...]], colours: Mapping[str, str]
    ) -> None:
        self._app = app
        self._pages = app.wsgi_app
        self._bundles = bundles
        self._colours = colours
        self._kept: dict[str, Asset] = {}

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request; the app knows what is no file."""
        match environ["PATH_INFO"].split("/"):
            case ["", "static", version, name] if name in self._bundles and _is_read(environ):
                answer = _answer(self[name], version, Request(environ))
                return answer(environ, start_response)
        return self._pages(environ, start_response)

    def __getitem__(self, name: str) -> Asset:
        """Return a file; it is made once, while debugging anew for each request."""
        debug = self._app.debug
        if debug or name not in self._kept:
            parts = self._bundles[name]
            with self._app.app_context():
                self._kept[name] = make(name, parts, self._colours, for_developers=debug)
        return self._kept[name]

    def make_ready(self, name: str) -> None:
        """Compress a file as most browsers ask for it, so that no visitor waits for that."""
        self[name].compressed("br")


def init_app(app: Flask, colours: Mapping[str, str], logo: Logo | None) -> None:
    """Answer with files from now on."""
    logos = {logo.name: (str(logo.path),)} if logo else {}
    assets = Assets(app, BUNDLES | logos, colours)
    app.wsgi_app = assets  # type: ignore[method-assign]
    app.extensions["assets"] = assets
    if logo:
        assets[logo.name]  # read now: the file may be gone later
    app.add_template_global(url, "asset_url")


def url(name: str) -> str:
    """Return where a file is, by its hash."""
    assets: Assets = current_app.extensions["assets"]
    return url_for("assets.show", version=assets[name].hash, name=name)


def _is_read(environ: Any) -> bool:
    return environ["REQUEST_METHOD"] in {"GET", "HEAD"}


def _answer(asset: Asset, version: str, request: Request) -> Response:
    """Answer with a file; an address with an old hash gets today's file, but does not keep it."""
    encoding = next((name for name in ENCODINGS if request.accept_encodings[name] > 0), None)
    response = Response(asset.compressed(encoding) if encoding else asset.body)
    if encoding:
        response.headers["Content-Encoding"] = encoding
    response.vary.add("Accept-Encoding")
    kind = TYPES[Path(asset.name).suffix]
    response.headers["Content-Type"] = kind
    if asset.name not in BUNDLES and kind.startswith("image/"):
        response.headers["Content-Security-Policy"] = PICTURE_POLICY
    fresh = version == asset.hash
    response.headers["Cache-Control"] = "max-age=31536000, immutable" if fresh else "no-store"
    harden_file(response, by_https=request.is_secure)
    return response
