"""Styles, scripts, icons and generated avatars."""

from web.assets import identicon, static_files
from web.assets.warm_up import warm_up

__all__ = [
    "identicon",
    "static_files",
    "warm_up",
]
