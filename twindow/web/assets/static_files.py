"""Static files: served by a middleware, compressed once, with a version in the URL."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from flask import Flask, current_app, request
from markupsafe import Markup
from werkzeug import Request, Response

from twindow.core.branding import Logo
from twindow.web.assets.bundles import (
    BUNDLES,
    COMPRESSORS,
    SCRIPTS,
    Asset,
    build_asset,
)
from twindow.web.http import add_file_headers

# No charset is needed: styles and scripts are UTF-8, like the pages that load them.
MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
}
# The operator's icon of the portal on a home screen.
APP_ICON = "app-icon.png"
# The operator's logo must not run or load anything, even when it is opened directly.
IMAGE_CSP = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


class AssetMiddleware:
    """WSGI middleware that serves static files, which need neither a session nor a person."""

    def __init__(
        self, app: Flask, bundles: Mapping[str, tuple[str, ...]], colours: Mapping[str, str]
    ) -> None:
        self._app = app
        self._wsgi_app = app.wsgi_app
        self._bundles = bundles
        self._colours = colours
        self._cache: dict[str, Asset] = {}

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Respond with a static file, or call the app."""
        match environ["PATH_INFO"].split("/"):
            case ["", "static", version, *parts] if (
                name := "/".join(parts)
            ) in self._bundles and environ["REQUEST_METHOD"] in {"GET", "HEAD"}:
                is_current = version == self.version(name)
                response = _asset_response(self[name], Request(environ), is_current=is_current)
                return response(environ, start_response)
        return self._wsgi_app(environ, start_response)

    def __getitem__(self, name: str) -> Asset:
        """Return an asset. Assets are built once, or in debug mode for each request."""
        if self._app.debug or name not in self._cache:
            self._cache[name] = build_asset(name, self._bundles[name], self._colours)
        return self._cache[name]

    def version(self, name: str) -> str:
        """Return the version of an asset for its URL, a hash.

        All scripts have the same version, so that they import each other by relative URLs.
        """
        if name not in SCRIPTS:
            return self[name].hash
        hashes = "".join(self[script].hash for script in SCRIPTS)
        return hashlib.sha256(hashes.encode()).hexdigest()[:8]


def init_app(
    app: Flask, colours: Mapping[str, str], logo: Logo | None, app_icon: Logo | None
) -> None:
    """Install the middleware, and register `asset_url` for templates."""
    pictures = {logo.filename: (str(logo.path),)} if logo else {}
    pictures |= {APP_ICON: (str(app_icon.path),)} if app_icon else {}
    assets = AssetMiddleware(app, BUNDLES | pictures, colours)
    app.wsgi_app = assets  # type: ignore[method-assign]
    app.extensions["assets"] = assets
    for name in pictures:
        assets[name]  # read now: the file may be deleted later
    app.add_template_global(asset_url, "asset_url")
    app.add_template_global(asset_text, "asset_text")


def asset_url(name: str) -> str:
    """Return the URL of an asset, which contains its version."""
    assets: AssetMiddleware = current_app.extensions["assets"]
    # A page has about forty; `url_for` would take a twentieth of the time of a page.
    return f"{request.script_root}/static/{assets.version(name)}/{quote(name)}"


def asset_text(name: str) -> Markup:
    """Return the content of an asset, for a page that must not load it."""
    assets: AssetMiddleware = current_app.extensions["assets"]
    return Markup(assets[name].body.decode())  # noqa: S704 - a file of the portal


def _asset_response(asset: Asset, request: Request, *, is_current: bool) -> Response:
    """Return the response for an asset.

    A URL with an old version gets the current file, which must not be cached.
    """
    encoding = next((name for name in COMPRESSORS if request.accept_encodings[name] > 0), None)
    response = Response(asset.compress(encoding) if encoding else asset.body)
    if encoding:
        response.headers["Content-Encoding"] = encoding
    response.vary.add("Accept-Encoding")
    media_type = MEDIA_TYPES[Path(asset.name).suffix]
    response.headers["Content-Type"] = media_type
    if asset.name not in BUNDLES and media_type.startswith("image/"):
        response.headers["Content-Security-Policy"] = IMAGE_CSP
    response.headers["Cache-Control"] = "max-age=31536000, immutable" if is_current else "no-store"
    add_file_headers(response, is_https=request.is_secure)
    return response
