"""Twins, defined by Markdown files in a folder."""

from service.twins.avatars import has_external_avatar
from service.twins.repository import TwinRepository
from service.twins.sampling import Sampling
from service.twins.twin import MESSAGE_PLACEHOLDER, Twin

__all__ = [
    "MESSAGE_PLACEHOLDER",
    "Sampling",
    "Twin",
    "TwinRepository",
    "has_external_avatar",
]
