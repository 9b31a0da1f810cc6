"""Translation of sentences and formatting of numbers."""

from __future__ import annotations

from babel import numbers
from flask import Flask

from twindow.core.languages import N_
from twindow.web.i18n.js_strings import script_messages
from twindow.web.i18n.locale import current_locale, format_locale, gettext

# Progress stages of the embedded service, listed here so that they get translated.
STAGES = (N_("Queued"), N_("Searching"), N_("Thinking"), N_("Writing"))


def init_app(app: Flask) -> None:
    """Register the template filters, and the sentences of scripts."""
    app.add_template_global(script_messages)
    app.add_template_filter(translate)
    app.add_template_filter(format_number)
    app.add_template_filter(format_percent)


def translate(sentence: str) -> str:
    """Translate a sentence of the portal or a stage of the embedded service.

    Any other text stays unchanged.
    """
    return gettext(sentence) if sentence else ""


def join_sentences(*sentences: str) -> str:
    """Translate sentences and join them."""
    return sentence_gap().join(translate(sentence) for sentence in sentences)


def sentence_gap() -> str:
    """Return what separates sentences: a space, but nothing after a wide Japanese full stop."""
    return "" if current_locale().language == "ja" else " "


def format_number(value: float) -> str:
    """Format a number in the current locale."""
    return numbers.format_decimal(value, locale=format_locale())


def format_percent(percent: float) -> str:
    """Format a percentage in the current locale."""
    return numbers.format_percent(percent / 100, locale=format_locale())
