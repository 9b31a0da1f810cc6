"""The operator's branding for every template."""

from __future__ import annotations

from flask import Flask

from core.branding.palette import Palette
from core.settings import Settings
from web.assets import static_files


def init_app(app: Flask, settings: Settings) -> None:
    """Work it all out once, and give it to every template."""
    colours = Palette.from_accent(settings.accent.colour).css_values()
    static_files.init_app(app, colours, settings.logo)
    site_context = {
        "site_name": settings.site_name,
        "colours": colours,
        "logo": settings.logo.filename if settings.logo else "",
        # Files of settings hold one line each: there, a line break is written \n.
        "welcome": settings.welcome.replace("\\n", "\n").strip(),
        "footer_links": settings.footer_links.links,
    }
    app.extensions["brand"] = site_context
    app.context_processor(lambda: site_context)
