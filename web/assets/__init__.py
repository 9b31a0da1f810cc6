"""Styles, scripts, icons and generated avatars."""

from web.assets import identicon, static_files
from web.assets.minifier import Unindented
from web.assets.warm_up import warm_up

__all__ = [
    "Unindented",
    "identicon",
    "static_files",
    "warm_up",
]
