"""The language of a page: what the person chose, else what their browser asks for, else English."""

from __future__ import annotations

from typing import Any

import flask_babel
from babel import Locale
from flask import Flask, Response, g, request
from markupsafe import Markup

from core.languages import LANGUAGES
from web.preferences import preferences

ENGLISH = "en"
# What somebody reads; everything else is for machines.
LOCALIZED_MEDIA_TYPES = {"text/html", "text/markdown", "text/event-stream"}
ISOLATE_FORMAT = "\u2068{}\u2069"


def init_app(app: Flask) -> None:
    """Choose a language for each request, and say which it was."""
    flask_babel.Babel(app, default_locale=ENGLISH, locale_selector=_select_language)
    app.jinja_env.install_gettext_callables(  # type: ignore[attr-defined]
        lambda sentence: _translations().ugettext(sentence),
        lambda one, many, count: _translations().ungettext(one, many, count),
        newstyle=True,
    )
    app.add_template_global(_translate_markup, "_")
    app.after_request(_add_language_headers)
    app.add_template_global(current_locale, "locale")
    app.add_template_filter(bidi_isolate)
    app.add_template_filter(bidi_isolate_text)


def current_locale() -> Locale:
    """Return the locale of this request; beside requests it is English."""
    locale: Locale | None = flask_babel.get_locale()
    return locale or Locale(ENGLISH)


def gettext(sentence: str, **values: str) -> str:
    """Translate a sentence, and put its values in."""
    return str(flask_babel.gettext(sentence, **values))


def bidi_isolate(name: object) -> Markup:
    """Set a name apart from the sentence around it: it may run the other way."""
    return Markup("<bdi>{}</bdi>").format(name)


def bidi_isolate_text(name: object) -> str:
    """Set a name apart where no element can stand, in an attribute."""
    right_to_left = current_locale().text_direction == "rtl"
    return ISOLATE_FORMAT.format(name) if right_to_left else str(name)


def _translate_markup(sentence: str, **values: object) -> Markup:
    """Translate a sentence of a template, and put its values in, escaped.

    Jinja's own way calls three functions in a context for each of the many sentences of a page.
    """
    text = Markup(_translations().ugettext(sentence))  # noqa: S704 - a sentence of ours
    return text % values if "%" in text else text


def _translations() -> Any:
    """Return what templates are translated by: looked up once a request, not for each sentence."""
    if "translations" not in g:
        g.translations = flask_babel.get_translations()
    return g.translations


def _select_language() -> str:
    accepted = (tag.lower().split("-")[0] for tag, quality in request.accept_languages if quality)
    candidates = (preferences().language, *accepted)
    return next((code for code in candidates if code in LANGUAGES), ENGLISH)


def _add_language_headers(response: Response) -> Response:
    if response.mimetype in LOCALIZED_MEDIA_TYPES:
        response.headers["Content-Language"] = current_locale().language
        response.vary.update(("Accept-Language", "Cookie"))
    return response
