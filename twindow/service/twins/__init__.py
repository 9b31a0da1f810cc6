"""Twins, defined by Markdown files in a folder."""

from twindow.service.twins.avatars import has_external_avatar
from twindow.service.twins.repository import TwinRepository
from twindow.service.twins.twin import FrontMatter, Twin

__all__ = [
    "FrontMatter",
    "Twin",
    "TwinRepository",
    "has_external_avatar",
]
