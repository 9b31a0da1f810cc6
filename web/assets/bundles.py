"""Bundles of styles, scripts and images, each of which is served as one file."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from string import Template

import brotli
import rcssmin
import rjsmin

from core.languages import LANGUAGES
from web.i18n import SENTENCES, messages_module

ROOT = Path(__file__).parents[2]
STATIC_DIR = ROOT / "static"

SCRIPT_MODULES = sorted(path.name for path in (STATIC_DIR / "js").glob("*.js"))
MESSAGES_MODULE = "messages.js"
# Modules have the language in their names, such as de/main.js, so that relative imports lead to the
# sentences in this language.
MODULE_ASSETS = {
    f"{language}/{name}": (f"js/{language}/{name}",)
    for language in LANGUAGES
    for name in SCRIPT_MODULES
}

BUNDLES = {
    "twindow.css": (
        "css/tokens.css",
        "css/base.css",
        "css/layout.css",
        "css/components.css",
        "css/twins.css",
        "css/conversation.css",
        "css/reply.css",
        "css/conversations.css",
        "css/languages.css",
        "css/print.css",
        "brand/accent.css",
    ),
    # Styles that the first chat page does not need.
    "lists.css": ("css/lists.css", "css/empty_states.css"),
    "noscript_stream.css": ("css/noscript_stream.css",),
    "noscript.css": ("css/noscript.css",),
    "noscript_resend.css": ("css/noscript_resend.css",),
    "countdown.css": ("css/countdown.css",),
    "help.css": ("css/help.css",),
    "forms.css": ("css/forms.css",),
    "icons.svg": ("icons.svg",),
    "favicon.svg": ("brand/favicon.svg",),
    "icon.svg": ("brand/icon.svg",),
    "htmx.js": ("vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js"),
    **MODULE_ASSETS,
}


# Content encodings in order of preference. Each uses its maximum compression level. Browsers accept
# br only on https and localhost.
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "br": partial(brotli.compress, quality=11),
    "gzip": partial(gzip.compress, compresslevel=9, mtime=0),
}


@dataclass(frozen=True)
class Asset:
    """A file to serve; `body` is its uncompressed content."""

    name: str
    body: bytes

    def compress(self, encoding: str) -> bytes:
        """Return the compressed body, which is cached."""
        return _compress(self.body, encoding)

    @cached_property
    def hash(self) -> str:
        """Return the hash of the content, for URLs."""
        return hashlib.sha256(self.body).hexdigest()[:8]


def build_asset(
    name: str, sources: tuple[str, ...], colours: Mapping[str, str], *, is_debug: bool
) -> Asset:
    """Concatenate sources into an asset, and minify them unless `is_debug`.

    Files in brand/ are templates into which the colours are inserted. A source js/LANGUAGE/NAME is
    a script module.
    """
    read_source = partial(_read_source, colours=colours, is_debug=is_debug)
    return Asset(name, b"\n".join(map(read_source, sources)))


def _read_source(source: str, colours: Mapping[str, str], *, is_debug: bool) -> bytes:
    match source.split("/"):
        case ["js", language, name]:
            is_generated = name == MESSAGES_MODULE
            text = messages_module(language) if is_generated else _read_text(f"js/{name}")
        case ["css", _]:
            text = _read_text(source)
        case ["brand", _]:
            text = Template(_read_text(source)).substitute(colours)
        case _:
            return (STATIC_DIR / source).read_bytes()
    return (text if is_debug else minify(source, text)).encode()


def _read_text(source: str) -> str:
    return (STATIC_DIR / source).read_text(encoding="utf-8")


def modules_version() -> str:
    """Return the version that all script modules have in their URLs, so that imports are relative.

    It is a hash of all modules, and of their sentences in all languages.
    """
    digest = hashlib.sha256(json.dumps(SENTENCES).encode())
    catalogs = (ROOT / "translations").glob("*/LC_MESSAGES/*.mo")
    for path in sorted([*(STATIC_DIR / "js").glob("*.js"), *catalogs]):
        digest.update(f"{path.name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:8]


def minify(source: str, text: str) -> str:
    """Remove comments and white space from a style or script; return anything else unchanged."""
    match Path(source).suffix:
        case ".css":
            return str(rcssmin.cssmin(text))
        case ".js":
            return str(rjsmin.jsmin(text))
    return text


@cache
def _compress(body: bytes, encoding: str) -> bytes:
    return COMPRESSORS[encoding](body)
