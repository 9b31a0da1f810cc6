"""Locale of a request: the chosen language, else that of the browser, else English."""

from __future__ import annotations

from typing import Any

import flask_babel
from babel import Locale
from babel.localedata import locale_identifiers
from flask import Flask, Response, g, has_request_context, request
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from twindow.core.languages import LANGUAGES
from twindow.paths import TRANSLATIONS
from twindow.web.i18n.text_language import text_language
from twindow.web.preferences import preferences

ENGLISH = "en"
# Media types with text for people; all others are for machines and not translated.
LOCALIZED_MEDIA_TYPES = {"text/html", "text/markdown", "text/event-stream"}
# Browsers send fewer than ten; a header may contain thousands.
MAX_LANGUAGE_RANGES = 20
_KNOWN_LOCALES = frozenset(locale_identifiers())
ISOLATE_FORMAT = "\u2068{}\u2069"


def init_app(app: Flask) -> None:
    """Set up translations, their template functions, and the language headers."""
    flask_babel.Babel(
        app,
        default_locale=ENGLISH,
        default_translation_directories=str(TRANSLATIONS),
        locale_selector=_select_language,
    )
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
    app.add_template_filter(text_language)
    app.add_template_filter(other_language)


def current_locale() -> Locale:
    """Return the locale of this request, or English outside requests."""
    locale: Locale | None = flask_babel.get_locale()
    return locale or Locale(ENGLISH)


def format_locale() -> Locale:
    """Return the locale of dates, times and numbers: the language, in the region of the browser."""
    if not has_request_context():
        return Locale(ENGLISH)
    if "format_locale" not in g:
        g.format_locale = _find_format_locale(current_locale())
    locale: Locale = g.format_locale
    return locale


def _find_format_locale(locale: Locale) -> Locale:
    for tag in _accepted_tags():
        language, _, region = tag.replace("_", "-").partition("-")
        name = f"{locale.language}_{region.rpartition('-')[2].upper()}"
        if language.lower() == locale.language and region and name in _KNOWN_LOCALES:
            return Locale.parse(name)
    return locale


def gettext(sentence: str, **values: str) -> str:
    """Translate a sentence and insert its values."""
    return str(flask_babel.gettext(sentence, **values))


def other_language(code: str) -> str:
    """Return the name of a language if it is not that of the page; "" also if it is not known."""
    locale, language = current_locale(), code.split("-")[0].lower()
    return "" if language == locale.language else locale.languages.get(language, "")


def bidi_isolate(name: object) -> Markup:
    """Wrap a name in <bdi>, because its direction may differ from that of the sentence."""
    return Markup("<bdi>{}</bdi>").format(name)


def bidi_isolate_text(name: object) -> str:
    """Isolate the direction of a name in an attribute, by control characters (U+2068, U+2069)."""
    right_to_left = current_locale().text_direction == "rtl"
    return ISOLATE_FORMAT.format(name) if right_to_left else str(name)


def _translate_markup(sentence: str, **values: object) -> Markup:
    """Translate a sentence of a template and insert its values, escaped.

    Jinja's `gettext` is slower: it calls three functions for each sentence.
    """
    text = Markup(_translations().ugettext(sentence))  # noqa: S704 - one of our sentences
    return text % values if "%" in text else text


def _translations() -> Any:
    """Return the translations of this request. They are looked up only once."""
    if "translations" not in g:
        g.translations = flask_babel.get_translations()
    return g.translations


def _accepted_tags() -> list[str]:
    """Return the language tags that the browser accepts, the best first."""
    header = request.headers.get("Accept-Language", "")
    ranges = ",".join(header.split(",", MAX_LANGUAGE_RANGES)[:MAX_LANGUAGE_RANGES])
    return [tag for tag, quality in parse_accept_header(ranges, LanguageAccept) if quality]


def _select_language() -> str:
    accepted = (tag.lower().split("-")[0] for tag in _accepted_tags())
    candidates = (preferences().language, *accepted)
    return next((code for code in candidates if code in LANGUAGES), ENGLISH)


def _add_language_headers(response: Response) -> Response:
    if response.mimetype in LOCALIZED_MEDIA_TYPES:
        response.headers["Content-Language"] = current_locale().language
        response.vary.update(("Accept-Language", "Cookie"))
    return response
