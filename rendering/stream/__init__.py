"""Render a reply while it grows, and describe each change as patches of the DOM."""

from rendering.stream.dom_patch import DomPatch
from rendering.stream.incremental import IncrementalRenderer

__all__ = [
    "DomPatch",
    "IncrementalRenderer",
]
