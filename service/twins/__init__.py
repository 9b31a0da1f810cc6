"""Twins, defined by Markdown files in a folder."""

from service.twins.avatars import has_external_avatar
from service.twins.repository import TwinRepository
from service.twins.twin import FrontMatter, Twin

__all__ = [
    "FrontMatter",
    "Twin",
    "TwinRepository",
    "has_external_avatar",
]
