"""Styles, scripts, icons and avatars with initials."""

from web.assets import initials, static_files
from web.assets.warm_up import warm_up

__all__ = [
    "initials",
    "static_files",
    "warm_up",
]
