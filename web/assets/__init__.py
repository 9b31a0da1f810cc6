"""Styles, scripts, icons and generated avatars."""

from web.assets import identicon, static_files
from web.assets.minifier import UnindentExtension
from web.assets.warm_up import warm_up

__all__ = [
    "UnindentExtension",
    "identicon",
    "static_files",
    "warm_up",
]
