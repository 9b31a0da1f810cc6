"""Rendering of Markdown as safe HTML. Imports no other package of Twindow."""

from rendering.export_markdown import BLANK_CHARACTERS, embed_inline, embed_markdown
from rendering.render import render

__all__ = [
    "BLANK_CHARACTERS",
    "embed_inline",
    "embed_markdown",
    "render",
]
