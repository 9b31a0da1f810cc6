"""HTML of messages and of the sources of replies."""

from __future__ import annotations

from functools import lru_cache

from flask import Flask
from markupsafe import Markup, escape

from twindow.chat.log import Reply
from twindow.core.threadpool import in_threadpool
from twindow.rendering import is_long_message, link_citations, render, render_message

# The cache is large enough for the messages with code on a few pages.
MAX_CACHED_MESSAGES = 64

MAX_CACHED_PASSAGES = 256

_render_in_thread = lru_cache(MAX_CACHED_MESSAGES)(in_threadpool(render_message))


def message_html(text: str) -> Markup:
    """Return the HTML of a message. Highlighting its code takes time, so the HTML is cached."""
    if "```" not in text:
        return escape(text)
    return Markup(_render_in_thread(text))  # noqa: S704 - the renderer escapes the text


@lru_cache(MAX_CACHED_PASSAGES)
def passage_html(text: str, scope: str) -> Markup:
    """Return the HTML of a passage in Markdown; `scope` makes its ids unique on the page."""
    return Markup(render(text, scope))  # noqa: S704 - the renderer escapes the text


def with_citations(html: str, turn_id: str, reply: Reply) -> str:
    """Return the HTML of a reply with links from its marks, such as [1], to its sources."""
    if reply.is_quotation or not reply.sources:
        return html
    return link_citations(html, f"source-{turn_id}-", len(reply.sources))


def init_app(app: Flask) -> None:
    """Register the template filter and test."""
    app.add_template_filter(message_html)
    app.add_template_filter(passage_html)
    app.add_template_test(is_long_message, "long_message")
