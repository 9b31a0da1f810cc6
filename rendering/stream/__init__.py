"""Incremental rendering of a growing reply; changes are described as DOM patches."""

from rendering.stream.dom_patch import DomPatch
from rendering.stream.incremental import IncrementalRenderer

__all__ = [
    "DomPatch",
    "IncrementalRenderer",
]
