"""Incremental rendering of a growing reply; changes are described as DOM patches."""

from twindow.rendering.stream.cpu_budget import CpuBudget
from twindow.rendering.stream.dom_patch import DomPatch
from twindow.rendering.stream.incremental import CHUNK_LENGTH, IncrementalRenderer, ReplyHtml

__all__ = [
    "CHUNK_LENGTH",
    "CpuBudget",
    "DomPatch",
    "IncrementalRenderer",
    "ReplyHtml",
]
