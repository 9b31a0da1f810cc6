"""Rendering of Markdown as safe HTML. Imports no other package of Twindow."""

from rendering.export_markdown import BLANK_CHARACTERS, embed_inline, embed_markdown, quote_markdown
from rendering.render import RENDERER_VERSION, render, render_plain

__all__ = [
    "BLANK_CHARACTERS",
    "RENDERER_VERSION",
    "embed_inline",
    "embed_markdown",
    "quote_markdown",
    "render",
    "render_plain",
]
