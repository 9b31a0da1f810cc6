"""The portal's web layer: the code between Flask and the domain, except the blueprints."""

from __future__ import annotations

from flask import Flask, abort, request
from werkzeug.routing import BaseConverter

from twindow.core.branding import Palette
from twindow.web import message_html, preferences, prometheus, site_context
from twindow.web.assets import static_files
from twindow.web.container import EXTENSION_KEY, Portal
from twindow.web.http import errors, htmx, page_compression, same_origin, security_headers
from twindow.web.i18n import formatting, locale, sentences, service_messages
from twindow.web.person import gate
from twindow.web.session import browser_id
from twindow.web.session import interface as session_interface
from twindow.web.streaming import stream_limit

__all__ = ["init_app"]

MAX_FORM_BYTES = 1024 * 1024
MAX_FORM_FIELDS = 100


class TwinId(BaseConverter):
    """Match the id of a twin, which may contain any character, including slashes."""

    regex = ".+?"
    part_isolating = False


def init_app(app: Flask, portal: Portal) -> None:
    """Configure the app: sessions, headers, error handlers, languages and template globals."""
    app.extensions[EXTENSION_KEY] = portal
    app.config.update(
        SECRET_KEY=portal.settings.secret("secret_key"),
        MAX_CONTENT_LENGTH=MAX_FORM_BYTES,
        MAX_FORM_MEMORY_SIZE=MAX_FORM_BYTES,
        MAX_FORM_PARTS=MAX_FORM_FIELDS,
    )
    # Otherwise Werkzeug would redirect ids that begin with a slash or contain two in a row.
    app.url_map.merge_slashes = False
    app.url_map.converters["twin"] = TwinId
    session_interface.init_app(app, portal.database)
    htmx.init_app(app)
    security_headers.init_app(app, portal.settings.frame_ancestors)
    errors.init_app(app)
    same_origin.init_app(app)
    browser_id.init_app(app)
    colours = Palette.from_accent(portal.settings.accent.colour).css_values()
    site_context.init_app(app, portal.settings, colours, portal.model_note)
    formatting.init_app(app)
    message_html.init_app(app)
    preferences.init_app(app)
    locale.init_app(app)
    sentences.init_app(app)
    service_messages.init_app(app)
    stream_limit.init_app(app)
    gate.init_app(app)
    app.before_request(_limit_form_fields)
    page_compression.init_app(app)
    # These two wrap the WSGI app, and twindow/application.py wraps them.
    static_files.init_app(app, colours, portal.settings.logo, portal.settings.app_icon)
    prometheus.init_app(app, portal.settings, portal.metrics)


def _limit_form_fields() -> None:
    """Reject a form with too many fields: parsing it would delay other people."""
    is_form = request.mimetype == "application/x-www-form-urlencoded"
    if is_form and request.get_data().count(b"&") >= MAX_FORM_FIELDS:
        abort(413)
