"""The web: read the request, ask the chat, choose a template. One noun per file."""

from __future__ import annotations

from flask import Flask
from flask_compress import Compress
from flask_wtf.csrf import CSRFProtect
from werkzeug.routing import BaseConverter

from blueprints import (
    avatars,
    conversation_actions,
    conversations,
    deletions,
    events,
    exports,
    health,
    help,  # noqa: A004
    keys,
    preferences,
    site,
    turns,
    twins,
)
from web import stream_limit
from web.assets import static_files
from web.container import EXTENSION_KEY, Portal
from web.http import errors, htmx, security_headers, session_store
from web.i18n import formatting, locale, sentences

MAX_FORM_BYTES = 1024 * 1024


class TwinId(BaseConverter):
    """Match anything at all in an address."""

    regex = ".+?"
    part_isolating = False


def init_app(app: Flask, portal: Portal) -> None:
    """Put the portal's pages into the app."""
    app.extensions[EXTENSION_KEY] = portal
    app.config.update(
        SECRET_KEY=portal.settings.secret("secret_key"),
        MAX_CONTENT_LENGTH=MAX_FORM_BYTES,
        MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES,
        WTF_CSRF_TIME_LIMIT=None,
        COMPRESS_MIMETYPES=["text/html"],
        COMPRESS_STREAMS=False,
        COMPRESS_ALGORITHM=["br", "gzip"],
        COMPRESS_BR_LEVEL=6,
        # Most pages are shorter: what could look back further would take memory, each time anew.
        COMPRESS_BR_WINDOW=16,
        # Without JavaScript: the shortest time between two versions of a reply, and the longest
        # time until the page looks for news.
        NOSCRIPT_SOON_SECONDS=0.4,
        NOSCRIPT_POLL_SECONDS=1.0,
    )
    # The id of a twin may hold any character: slashes at its beginning, or two of them, too.
    app.url_map.merge_slashes = False
    app.url_map.converters["twin"] = TwinId
    session_store.init_app(app, portal.database)
    htmx.init_app(app)
    security_headers.init_app(app)
    errors.init_app(app)
    site.init_app(app, portal.settings)
    avatars.init_app(app)
    formatting.init_app(app)
    preferences.init_app(app)
    locale.init_app(app)
    sentences.init_app(app)
    stream_limit.init_app(app)
    CSRFProtect(app)
    Compress(app)
    for module in (
        *(
            twins,
            avatars,
            conversations,
            conversation_actions,
            deletions,
            exports,
            turns,
            events,
            keys,
        ),
        *(preferences, help, health, site),
    ):
        app.register_blueprint(module.bp)
    app.register_blueprint(static_files.bp)
