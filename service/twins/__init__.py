"""Twins, defined by Markdown files in a folder."""

from service.twins.avatars import has_external_avatar
from service.twins.repository import TwinCursor, TwinRepository
from service.twins.sampling import Sampling
from service.twins.twin import Twin

__all__ = [
    "Sampling",
    "Twin",
    "TwinCursor",
    "TwinRepository",
    "has_external_avatar",
]
