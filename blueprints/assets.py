"""Style and script: each one file on the wire, compressed once, and kept for ever by its hash."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path

import brotli
from flask import Blueprint, Flask, Response, abort, current_app, request, url_for

bp = Blueprint("assets", __name__)

STATIC = Path(__file__).parent.parent / "static"

BUNDLES = {
    "twindow.css": (
        *("css/tokens.css", "css/base.css", "css/parts.css", "css/until.css"),
        *("css/gallery.css", "css/conversation.css"),
    ),
    "twindow.js": ("vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js", "js/twindow.js"),
    "favicon.svg": ("favicon.svg",),
}
TYPES = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}
# As small as each makes them, the smallest first. Browsers take br over https and from localhost.
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": partial(brotli.compress, quality=11),
    "gzip": partial(gzip.compress, compresslevel=9, mtime=0),
}
# Lines that are all comment are for whoever reads the source; empty ones keep the numbers right.
_COMMENT = re.compile(rb"^[ \t]*//.*", re.MULTILINE)


@dataclass(frozen=True)
class Asset:
    """One file on the wire, made of the files in `parts` in their order."""

    name: str
    parts: tuple[str, ...]

    @cached_property
    def body(self) -> bytes:
        """Return the bytes."""
        return b"\n".join(map(_part, self.parts))

    @cache  # noqa: B019 - there are as many as there are bundles
    def compressed(self, encoding: str) -> bytes:
        """Return the bytes, compressed."""
        return ENCODINGS[encoding](self.body)

    @cached_property
    def hash(self) -> str:
        """Return what changes with the bytes."""
        return hashlib.sha256(self.body).hexdigest()[:16]


def _part(name: str) -> bytes:
    written = (STATIC / name).read_bytes()
    return _COMMENT.sub(b"", written) if name.startswith("js/") else written


def init_app(app: Flask) -> None:
    """Read the files once; while debugging, anew for each request."""

    def asset(name: str) -> Asset:
        if app.debug or name not in kept:
            kept[name] = Asset(name, BUNDLES[name])
        return kept[name]

    def asset_url(name: str) -> str:
        return url_for("assets.show", version=asset(name).hash, name=name)

    kept: dict[str, Asset] = {}
    app.extensions["assets"] = asset
    app.add_template_global(asset_url)


@bp.get("/static/<version>/<name>")
def show(version: str, name: str) -> Response:
    """Answer with a file; an address with an old hash gets today's file, but does not keep it."""
    if name not in BUNDLES:
        abort(404)
    asset: Asset = current_app.extensions["assets"](name)
    encoding = next((name for name in ENCODINGS if request.accept_encodings[name] > 0), None)
    response = Response(asset.compressed(encoding) if encoding else asset.body)
    if encoding:
        response.headers["Content-Encoding"] = encoding
    response.vary.add("Accept-Encoding")
    response.headers["Content-Type"] = TYPES[Path(name).suffix]
    fresh = version == asset.hash
    response.headers["Cache-Control"] = (
        "public, max-age=31536000, immutable" if fresh else "no-store"
    )
    return response
