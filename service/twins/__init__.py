"""Twins, defined by Markdown files in a folder."""

from service.twins.avatars import has_external_avatar
from service.twins.repository import TwinRepository
from service.twins.sampling import Sampling
from service.twins.twin import Twin

__all__ = [
    "Sampling",
    "Twin",
    "TwinRepository",
    "has_external_avatar",
]
