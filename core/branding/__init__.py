"""Branding set by the operator: colours, logo and footer links as validated values."""

from core.branding.colour import Accent, Oklch
from core.branding.footer_links import FooterLinks
from core.branding.logo import Logo
from core.branding.palette import Palette

__all__ = [
    "Accent",
    "FooterLinks",
    "Logo",
    "Oklch",
    "Palette",
]
