"""Style and script: each one file on the wire, compressed once, and kept for ever by its hash."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from string import Template

import brotli
from flask import Blueprint, Flask, Response, abort, current_app, request, url_for

from blueprints.sayings import script
from blueprints.squeeze import squeeze
from branding.logo import Logo
from wording import LANGUAGES

bp = Blueprint("assets", __name__)

STATIC = Path(__file__).parent.parent / "static"

BUNDLES = {
    "twindow.css": (
        *("css/tokens.css", "css/base.css", "css/parts.css", "css/until.css", "css/gallery.css"),
        *("css/conversation.css", "css/reply.css", "css/conversations.css", "css/preferences.css"),
        *("css/states.css", "css/help.css", "css/languages.css", "css/print.css"),
        "brand/accent.css",
    ),
    "followed.css": ("css/followed.css",),
    "twindow.js": (
        *("vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js"),
        *("js/page.js", "js/follow.js", "js/announcer.js", "js/reading.js", "js/composer.js"),
        *("js/copy.js", "js/menus.js", "js/shortcuts.js"),
    ),
    "favicon.svg": ("brand/favicon.svg",),
    "icon.svg": ("brand/icon.svg",),
}
# Styles and scripts are in UTF-8, like the pages that ask for them.
TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
}
# One script for each language, which says at its beginning what scripts may have to say.
SAYINGS = "sayings/"
# As small as each makes them, the smallest first. Browsers take br over https and from localhost.
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": partial(brotli.compress, quality=11),
    "gzip": partial(gzip.compress, compresslevel=9, mtime=0),
}
# The operator's picture runs nothing and loads nothing, whoever drew it and however it is opened.
PICTURE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


@dataclass(frozen=True)
class Asset:
    """One file on the wire, made of the files in `parts` in their order.

    Those in brand/ name colours, which are put in; sayings/ are made for a language. One for
    developers is not squeezed.
    """

    name: str
    parts: tuple[str, ...]
    colours: Mapping[str, str]
    for_developers: bool

    @cached_property
    def body(self) -> bytes:
        """Return the bytes."""
        return b"\n".join(self._read(part) for part in self.parts)

    def _read(self, part: str) -> bytes:
        if part.startswith(SAYINGS):
            return script(part.removeprefix(SAYINGS)).encode()
        data = (STATIC / part).read_bytes()
        if part.startswith("brand/"):
            data = Template(data.decode()).substitute(self.colours).encode()
        if self.for_developers or not part.startswith(("css/", "js/", "brand/")):
            return data
        return squeeze(part, data.decode()).encode()

    def compressed(self, encoding: str) -> bytes:
        """Return the bytes, compressed."""
        return _compressed(self.body, encoding)

    @cached_property
    def hash(self) -> str:
        """Return what changes with the bytes."""
        return hashlib.sha256(self.body).hexdigest()[:16]


@cache
def _compressed(body: bytes, encoding: str) -> bytes:
    return ENCODINGS[encoding](body)


def init_app(app: Flask, colours: Mapping[str, str], logo: Logo | None) -> None:
    """Read the files once; while debugging, anew for each request."""
    bundles = dict(BUNDLES)
    scripts = bundles.pop("twindow.js")
    for code in LANGUAGES:
        bundles[f"twindow.{code}.js"] = (f"{SAYINGS}{code}", *scripts)
    if logo:
        bundles[logo.name] = (str(logo.path),)

    def asset(name: str) -> Asset:
        if name not in bundles:
            abort(404)
        if app.debug or name not in kept:
            kept[name] = Asset(name, bundles[name], colours, for_developers=app.debug)
        return kept[name]

    kept: dict[str, Asset] = {}
    app.extensions["assets"] = asset
    if logo:
        asset(logo.name).body  # noqa: B018 - read now: the file may be gone later
    app.add_template_global(url, "asset_url")


def url(name: str) -> str:
    """Return where a file is, by its hash."""
    asset: Asset = current_app.extensions["assets"](name)
    return url_for("assets.show", version=asset.hash, name=name)


@bp.get("/static/<version>/<name>")
def show(version: str, name: str) -> Response:
    """Answer with a file; an address with an old hash gets today's file, but does not keep it."""
    asset: Asset = current_app.extensions["assets"](name)
    encoding = next((name for name in ENCODINGS if request.accept_encodings[name] > 0), None)
    response = Response(asset.compressed(encoding) if encoding else asset.body)
    if encoding:
        response.headers["Content-Encoding"] = encoding
    response.vary.add("Accept-Encoding")
    response.headers["Content-Type"] = TYPES[Path(name).suffix]
    if name not in BUNDLES and TYPES[Path(name).suffix].startswith("image/"):
        response.headers["Content-Security-Policy"] = PICTURE_POLICY
    fresh = version == asset.hash
    response.headers["Cache-Control"] = "max-age=31536000, immutable" if fresh else "no-store"
    return response
