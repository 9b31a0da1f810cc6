"""Render Markdown as safe HTML. Imports nothing else of ours."""

from rendering.export_markdown import BLANK_CHARACTERS, embed_inline, embed_markdown
from rendering.render import render

__all__ = [
    "BLANK_CHARACTERS",
    "embed_inline",
    "embed_markdown",
    "render",
]
