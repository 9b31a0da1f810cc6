"""Bundles of styles, scripts and images, each of which is served as one file."""

from __future__ import annotations

import gzip
import hashlib
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property, partial
from string import Template

import brotli

from twindow.paths import STATIC

# Script modules, each after those that it imports: what every page loads, what conversation pages
# load as well, and what is loaded when a dialog opens. Those in one file share their names.
SCRIPTS = {
    "main.js": (
        "js/old_browsers.js",
        "js/messages.js",
        "js/storage.js",
        "js/tabs.js",
        "js/turns.js",
        "js/content_changes.js",
        "js/announcements.js",
        "js/notices.js",
        "js/focus.js",
        "js/requests.js",
        "js/message_box.js",
        "js/composer_state.js",
        "js/composer.js",
        "js/edits.js",
        "js/composer_requests.js",
        "js/shortcuts.js",
        "js/keys.js",
        "js/dialog_links.js",
        "js/clipboard.js",
        "js/menus.js",
        "js/preferences.js",
        "js/selection.js",
        "js/main.js",
    ),
    "conversation.js": (
        "js/reconnection.js",
        "js/reply_stream.js",
        "js/reply_updates.js",
        "js/spoken_replies.js",
        "js/missed_turns.js",
        "js/reading_position.js",
        "js/new_turns.js",
        "js/waiting_time.js",
        "js/conversation.js",
    ),
    "dialogs.js": ("js/dialogs.js",),
    "passwords.js": ("js/passwords.js",),
}
_IMPORT = re.compile(r'^import (?:\{([^}]*)\} from )?"\./(\w+\.js)";\n', re.MULTILINE)
# Comments are a fifth of the bytes of the first page, even when compressed. A script must not begin
# a line of a template literal with //, nor a style contain /* in a string.
_COMMENT = {
    "js": re.compile(rb"^ *//.*\n", re.MULTILINE),
    "css": re.compile(rb"/\*.*?\*/|^ +", re.DOTALL | re.MULTILINE),
}

BUNDLES = {
    "twindow.css": (
        "css/tokens.css",
        "css/base.css",
        "css/layout.css",
        "css/components.css",
        "css/twins.css",
        "css/conversation.css",
        "css/composer.css",
        "css/turns.css",
        "css/reply.css",
        "css/menus.css",
        "css/languages.css",
        "css/print.css",
        "brand/accent.css",
    ),
    # Styles that the first chat page does not need.
    "home.css": ("css/search_field.css", "css/empty_states.css", "css/home.css"),
    "lists.css": ("css/search_field.css", "css/empty_states.css", "css/lists.css"),
    "noscript_stream.css": ("css/noscript_stream.css",),
    "noscript.css": ("css/noscript.css",),
    "noscript_resend.css": ("css/noscript_resend.css",),
    "countdown.css": ("css/countdown.css",),
    "help.css": ("css/help.css",),
    "forms.css": ("css/forms.css",),
    "saved_page.css": (
        "css/tokens.css",
        "css/reply.css",
        "css/languages.css",
        "css/saved_page.css",
        "brand/accent.css",
    ),
    "icons.svg": ("icons.svg",),
    "favicon.svg": ("brand/favicon.svg",),
    "icon.svg": ("brand/icon.svg",),
    **{f"icon-{size}.png": (f"icons/icon-{size}.png",) for size in (180, 192, 512)},
    "sidebar.js": ("js/sidebar.js",),
    "htmx.js": ("vendor/htmx-4.0.1.min.js", "vendor/hx-sse-4.0.1.min.js"),
    **SCRIPTS,
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


def build_asset(name: str, sources: tuple[str, ...], colours: Mapping[str, str]) -> Asset:
    """Join sources into an asset. Files in brand/ are templates into which colours are inserted."""
    if name in SCRIPTS:
        return Asset(name, _join_modules(sources).encode())
    return Asset(name, b"\n".join(_read_source(source, colours) for source in sources))


def _read_source(source: str, colours: Mapping[str, str]) -> bytes:
    content = (STATIC / source).read_bytes()
    if source.startswith("brand/"):
        return Template(content.decode()).substitute(colours).encode()
    folder = source.partition("/")[0]
    return _COMMENT[folder].sub(b"", content) if folder in _COMMENT else content


def _join_modules(sources: tuple[str, ...]) -> str:
    """Join script modules. What they import from other files is imported once, by these files."""
    imported: dict[str, set[str]] = {}
    bodies = []
    for source in sources:
        text = _read_source(source, {}).decode()
        for names, module in _IMPORT.findall(text):
            if f"js/{module}" not in sources:
                [file] = [name for name, modules in SCRIPTS.items() if f"js/{module}" in modules]
                imported.setdefault(file, set()).update(re.findall(r"\w+", names))
        bodies.append(_IMPORT.sub("", text))
    imports = [
        f'import {{ {", ".join(sorted(names))} }} from "./{file}";'
        for file, names in imported.items()
    ]
    return "\n".join([*imports, *bodies])


@cache
def _compress(body: bytes, encoding: str) -> bytes:
    return COMPRESSORS[encoding](body)
