"""Styles, scripts, icons and avatars with initials."""

from twindow.web.assets import initials, static_files
from twindow.web.assets.warm_up import warm_up

__all__ = [
    "initials",
    "static_files",
    "warm_up",
]
