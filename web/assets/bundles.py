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
from web.i18n.js_strings import script, shortened

STATIC = Path(__file__).parents[2] / "static"

SCRIPTS = (
    *("vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js"),
    *("js/page.js", "js/follow.js", "js/wide.js", "js/announcer.js", "js/focus.js"),
    *("js/composer.js", "js/menus.js", "js/copy.js", "js/reading.js", "js/windows.js"),
    "js/shortcuts.js",
)
# One script for each language, which says at its beginning what scripts may have to say.
SAYINGS = "sayings/"
BUNDLES = {
    "twindow.css": (
        *("css/tokens.css", "css/base.css", "css/parts.css", "css/twins.css"),
        *("css/conversation.css", "css/reply.css", "css/conversations.css", "css/languages.css"),
        *("css/print.css", "brand/accent.css"),
    ),
    # What a first chat page does not need.
    "lists.css": ("css/lists.css", "css/states.css"),
    "followed.css": ("css/followed.css",),
    "plain.css": ("css/plain.css",),
    "again.css": ("css/again.css",),
    "until.css": ("css/until.css",),
    "help.css": ("css/help.css",),
    "forms.css": ("css/forms.css",),
    "favicon.svg": ("brand/favicon.svg",),
    "icon.svg": ("brand/icon.svg",),
    **{f"twindow.{code}.js": (f"{SAYINGS}{code}", *SCRIPTS) for code in LANGUAGES},
}


def _brotli(body: bytes) -> bytes:
    # Which of them is the smaller is luck, by a part in two hundred.
    ways: list[dict[str, int]] = [{"mode": brotli.MODE_FONT}, {"lgblock": 16}]
    tried: list[bytes] = [brotli.compress(body, quality=11, **way) for way in ways]
    return min(tried, key=len)


# As small as each makes them, the smallest first. Browsers take br over https and from localhost.
ENCODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": _brotli,
    "gzip": partial(gzip.compress, compresslevel=9, mtime=0),
}


@dataclass(frozen=True)
class Asset:
    """One file on the wire."""

    name: str
    body: bytes

    def compressed(self, encoding: str) -> bytes:
        """Return the bytes, compressed."""
        return _compressed(self.body, encoding)

    @cached_property
    def hash(self) -> str:
        """Return what changes with the bytes."""
        return hashlib.sha256(self.body).hexdigest()[:8]


def make(
    name: str, parts: tuple[str, ...], colours: Mapping[str, str], *, for_developers: bool
) -> Asset:
    """Make a file of other files, in their order; one for developers is not squeezed.

    Those in brand/ name colours, which are put in; sayings/ are made for a language.
    """
    read = partial(_read, colours=colours, for_developers=for_developers)
    return Asset(name, b"\n".join(map(read, parts)))


def _read(part: str, colours: Mapping[str, str], *, for_developers: bool) -> bytes:
    if part.startswith(SAYINGS):
        return script(part.removeprefix(SAYINGS), short=not for_developers).encode()
    data = (STATIC / part).read_bytes()
    if part.startswith("brand/"):
        data = Template(data.decode()).substitute(colours).encode()
    if for_developers or not part.startswith(("css/", "js/", "brand/")):
        return data
    squeezed = shortened(squeeze(part, data.decode()))
    names = script_names() if part.endswith(".js") else property_names()
    return renamed(squeezed, names).encode()


@cache
def property_names() -> Mapping[str, str]:
    """Return what the custom properties of the styles are called on the wire."""
    return short_properties(path.read_text() for path in STATIC.glob("*/*.css"))


@cache
def script_names() -> Mapping[str, str]:
    """Return what our scripts' own names are called on the wire."""
    parts = [part for part in SCRIPTS if part.startswith("js/")]
    return short_names(squeeze(part, (STATIC / part).read_text()) for part in parts)


@cache
def _compressed(body: bytes, encoding: str) -> bytes:
    return ENCODINGS[encoding](body)
