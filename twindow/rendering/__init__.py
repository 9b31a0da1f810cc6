"""Rendering of Markdown as safe HTML."""

from twindow.rendering.citations import link_citations
from twindow.rendering.markdown_export import (
    BLANK_CHARACTERS,
    embed_inline,
    embed_markdown,
    quote_markdown,
)
from twindow.rendering.message import is_long_message, render_message
from twindow.rendering.render import RENDERER_VERSION, render, render_plain
from twindow.rendering.render_process import RenderProcess

__all__ = [
    "BLANK_CHARACTERS",
    "RENDERER_VERSION",
    "RenderProcess",
    "embed_inline",
    "embed_markdown",
    "is_long_message",
    "link_citations",
    "quote_markdown",
    "render",
    "render_message",
    "render_plain",
]
