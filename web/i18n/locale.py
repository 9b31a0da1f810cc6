"""The language of a page: what the person chose, else what their browser asks for, else English."""

from __future__ import annotations

from typing import Any

import flask_babel
from babel import Locale
from flask import Flask, Response, g, request
from markupsafe import Markup

from blueprints.preferences import preferences
from core.languages import LANGUAGES

ENGLISH = "en"
# What somebody reads; everything else is for machines.
WORDS = {"text/html", "text/markdown", "text/event-stream"}
ISOLATED = "\u2068{}\u2069"


def init_app(app: Flask) -> None:
    """Choose a language for each request, and say which it was."""
    flask_babel.Babel(app, default_locale=ENGLISH, locale_selector=_chosen)
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda sentence: _translations().ugettext(sentence),
        lambda one, many, count: _translations().ungettext(one, many, count),
        newstyle=True,
    )
    app.add_template_global(_sentence, "_")
    app.after_request(_tell)
    app.add_template_global(current, "locale")
    app.add_template_filter(isolated)
    app.add_template_filter(apart)


def current() -> Locale:
    """Return the locale of this request; beside requests it is English."""
    found: Locale | None = flask_babel.get_locale()
    return found or Locale(ENGLISH)


def gettext(sentence: str, **values: str) -> str:
    """Translate a sentence, and put its values in."""
    return str(flask_babel.gettext(sentence, **values))


def isolated(name: object) -> Markup:
    """Set a name apart from the sentence around it: it may run the other way."""
    return Markup("<bdi>{}</bdi>").format(name)


def apart(name: object) -> str:
    """Set a name apart where no element can stand, in an attribute."""
    right_to_left = current().text_direction == "rtl"
    return ISOLATED.format(name) if right_to_left else str(name)


def _sentence(sentence: str, **values: object) -> Markup:
    """Translate a sentence of a template, and put its values in, escaped.

    Jinja's own way calls three functions in a context for each of the many sentences of a page.
    """
    found = Markup(_translations().ugettext(sentence))  # noqa: S704 - a sentence of ours
    return found % values if "%" in found else found


def _translations() -> Any:
    """Return what templates are translated by: looked up once a request, not for each sentence."""
    if "translations" not in g:
        g.translations = flask_babel.get_translations()
    return g.translations


def _chosen() -> str:
    asked = (tag.lower().split("-")[0] for tag, quality in request.accept_languages if quality)
    wanted = (preferences().language, *asked)
    return next((code for code in wanted if code in LANGUAGES), ENGLISH)


def _tell(response: Response) -> Response:
    if response.mimetype in WORDS:
        response.headers["Content-Language"] = current().language
        response.vary.update(("Accept-Language", "Cookie"))
    return response
