"""What styles, scripts and pictures of ours are made of: each is one file on the wire."""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from pathlib import Path
from string import Template

import brotli

from core.languages import LANGUAGES
from web.assets.minifier import renamed, short_names, short_properties, squeeze
from web.i18n import shorten_names, strings_script

STATIC_DIR = Path(__file__).parents[2] / "static"

SCRIPT_SOURCES = (
    *("vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js"),
    *(
        "js/page.js",
        "js/sse_reconnect.js",
        "js/scrollable_regions.js",
        "js/live_region.js",
        "js/focus.js",
    ),
    *("js/composer.js", "js/menus.js", "js/copy.js", "js/autoscroll.js", "js/tab_sync.js"),
    "js/shortcuts.js",
)
# One script for each language, which says at its beginning what scripts may have to say.
JS_STRINGS_PREFIX = "sayings/"
BUNDLES = {
    "twindow.css": (
        *("css/tokens.css", "css/base.css", "css/components.css", "css/twins.css"),
        *("css/conversation.css", "css/reply.css", "css/conversations.css", "css/languages.css"),
        *("css/print.css", "brand/accent.css"),
    ),
    # What a first chat page does not need.
    "lists.css": ("css/lists.css", "css/empty_states.css"),
    "noscript_stream.css": ("css/noscript_stream.css",),
    "noscript.css": ("css/noscript.css",),
    "noscript_resend.css": ("css/noscript_resend.css",),
    "countdown.css": ("css/countdown.css",),
    "help.css": ("css/help.css",),
    "forms.css": ("css/forms.css",),
    "favicon.svg": ("brand/favicon.svg",),
    "icon.svg": ("brand/icon.svg",),
    **{f"twindow.{code}.js": (f"{JS_STRINGS_PREFIX}{code}", *SCRIPT_SOURCES) for code in LANGUAGES},
}


def _compress_brotli(body: bytes) -> bytes:
    # Which of them is the smaller is luck, by a part in two hundred.
    option_sets: list[dict[str, int]] = [{"mode": brotli.MODE_FONT}, {"lgblock": 16}]
    candidates: list[bytes] = [
        brotli.compress(body, quality=11, **options) for options in option_sets
    ]
    return min(candidates, key=len)


# As small as each makes them, the smallest first. Browsers take br over https and from localhost.
COMPRESSORS: dict[str, Callable[[bytes], bytes]] = {
    "br": _compress_brotli,
    "gzip": partial(gzip.compress, compresslevel=9, mtime=0),
}


@dataclass(frozen=True)
class Asset:
    """One file on the wire."""

    name: str
    body: bytes

    def compress(self, encoding: str) -> bytes:
        """Return the bytes, compressed."""
        return _compress(self.body, encoding)

    @cached_property
    def hash(self) -> str:
        """Return what changes with the bytes."""
        return hashlib.sha256(self.body).hexdigest()[:8]


def build_asset(
    name: str, sources: tuple[str, ...], colours: Mapping[str, str], *, is_debug: bool
) -> Asset:
    """Make a file of other files, in their order; one for developers is not squeezed.

    Those in brand/ name colours, which are put in; sayings/ are made for a language.
    """
    read_source = partial(_read_source, colours=colours, is_debug=is_debug)
    return Asset(name, b"\n".join(map(read_source, sources)))


def _read_source(source: str, colours: Mapping[str, str], *, is_debug: bool) -> bytes:
    if source.startswith(JS_STRINGS_PREFIX):
        return strings_script(
            source.removeprefix(JS_STRINGS_PREFIX), use_short_names=not is_debug
        ).encode()
    data = (STATIC_DIR / source).read_bytes()
    if source.startswith("brand/"):
        data = Template(data.decode()).substitute(colours).encode()
    if is_debug or not source.startswith(("css/", "js/", "brand/")):
        return data
    minified = shorten_names(squeeze(source, data.decode()))
    names = script_names() if source.endswith(".js") else property_names()
    return renamed(minified, names).encode()


@cache
def property_names() -> Mapping[str, str]:
    """Return what the custom properties of the styles are called on the wire."""
    return short_properties(path.read_text() for path in STATIC_DIR.glob("*/*.css"))


@cache
def script_names() -> Mapping[str, str]:
    """Return what our scripts' own names are called on the wire."""
    parts = [part for part in SCRIPT_SOURCES if part.startswith("js/")]
    return short_names(squeeze(part, (STATIC_DIR / part).read_text()) for part in parts)


@cache
def _compress(body: bytes, encoding: str) -> bytes:
    return COMPRESSORS[encoding](body)
