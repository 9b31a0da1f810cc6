"""Jinja configuration and the template variables that describe the site."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from flask import Flask
from jinja2.ext import Extension

from twindow.core.settings import Settings
from twindow.web.assets.static_files import APP_ICON
from twindow.web.message_form import MAX_MESSAGE_CHARACTERS


class Dedent(Extension):
    """Remove the indentation of templates, so that it is not sent with each page.

    After the tag of a block or a comment, one space stays: Jinja removes the line break there
    (`trim_blocks`), so the indentation is the only white space.
    """

    def preprocess(self, source: str, *_: object, **__: object) -> str:
        """Return a template without indentation."""
        indentation = r"(?<![%#]}\n)^[ \t]+|^[ \t]+(?=[ \t])"
        return re.sub(indentation, "", source, flags=re.MULTILINE)


def init_app(
    app: Flask,
    settings: Settings,
    colours: Mapping[str, str],
    model_note: Callable[[str], object | None],
) -> None:
    """Configure Jinja, and provide the variables of the site."""
    site_context = {
        "site_name": settings.site_name,
        "colours": colours,
        "logo": settings.logo.filename if settings.logo else "",
        "touch_icon": APP_ICON if settings.app_icon else "icon-180.png",
        "logo_has_name": settings.logo_has_name,
        "banner": " ".join(settings.banner.split()),
        # A value in an environment file is one line: a line break is written as \n.
        "welcome": settings.welcome.replace("\\n", "\n").strip(),
        "reply_notice": settings.reply_notice.strip(),
        "footer_links": settings.footer_links.links,
        "limit": MAX_MESSAGE_CHARACTERS,
        "can_create_api_keys": settings.is_embedded,
        "can_sign_in": settings.sign_in.has_sign_ins,
        "has_passwords": settings.sign_in.has_passwords,
        "provider_name": settings.oidc_name if settings.sign_in.has_oidc else "",
        "model_note": model_note,
    }
    app.extensions["site_context"] = site_context
    app.context_processor(lambda: site_context)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.add_extension(Dedent)
    app.jinja_env.policies["ext.i18n.trimmed"] = True
