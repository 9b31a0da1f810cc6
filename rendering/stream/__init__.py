"""Incremental rendering of a growing reply; changes are described as DOM patches."""

from rendering.stream.cpu_budget import CpuBudget
from rendering.stream.dom_patch import DomPatch
from rendering.stream.incremental import CHUNK_LENGTH, IncrementalRenderer, ReplyHtml

__all__ = [
    "CHUNK_LENGTH",
    "CpuBudget",
    "DomPatch",
    "IncrementalRenderer",
    "ReplyHtml",
]
