"""HTML of messages for templates."""

from __future__ import annotations

from functools import lru_cache

from flask import Flask
from markupsafe import Markup, escape

from core.server.threadpool import in_threadpool
from rendering import is_long_message, render_message

# The cache is large enough for the messages with code on a few pages.
MAX_CACHED_MESSAGES = 64

_render_in_thread = lru_cache(MAX_CACHED_MESSAGES)(in_threadpool(render_message))


def message_html(text: str) -> Markup:
    """Return the HTML of a message. Highlighting its code takes time, so the HTML is cached."""
    if "```" not in text:
        return escape(text)
    return Markup(_render_in_thread(text))  # noqa: S704 - the renderer escapes the text


def init_app(app: Flask) -> None:
    """Register the template filter and test."""
    app.add_template_filter(message_html)
    app.add_template_test(is_long_message, "long_message")
