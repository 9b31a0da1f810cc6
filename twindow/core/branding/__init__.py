"""Branding set by the operator: colours, logo and footer links as validated values."""

from twindow.core.branding.colour import Accent, Oklch
from twindow.core.branding.footer_links import FooterLinks
from twindow.core.branding.logo import Logo
from twindow.core.branding.palette import Palette

__all__ = [
    "Accent",
    "FooterLinks",
    "Logo",
    "Oklch",
    "Palette",
]
