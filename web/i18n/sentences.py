"""Translation of stored English sentences into the language of the page."""

from __future__ import annotations

import re

from babel.numbers import format_decimal
from flask import Flask

from chat.reply_worker import MESSAGE_NOT_SENT, REPLY_TOO_LONG
from core.languages import N_
from twinapi import REJECTED_WITH_REASON, REPORTED_WITH_REASON
from web.i18n.locale import current_locale, gettext

SENTENCE_PATTERNS = (REPLY_TOO_LONG, REJECTED_WITH_REASON, REPORTED_WITH_REASON)
NUMBER_PATTERN = re.compile(r"[0-9][0-9,]{0,14}")
# Progress stages of the embedded service, listed here so that they get translated.
STAGES = (N_("Queued"), N_("Thinking"), N_("Writing"))


def init_app(app: Flask) -> None:
    """Register the template filters."""
    app.add_template_filter(translate)
    app.add_template_filter(format_number)


def translate(sentence: str) -> str:
    """Translate one of our sentences. Others, such as those of the service, stay unchanged."""
    if not sentence:
        return ""
    sentence_before = sentence.removesuffix(f" {MESSAGE_NOT_SENT}")
    if sentence_before != sentence:
        return join_sentences(sentence_before, MESSAGE_NOT_SENT)
    for pattern in SENTENCE_PATTERNS:
        if values := pattern.extract_values(sentence):
            return gettext(pattern.text, **{name: _format_value(values[name]) for name in values})
    return gettext(sentence)


def join_sentences(*sentences: str) -> str:
    """Translate sentences and join them with spaces."""
    return " ".join(translate(sentence) for sentence in sentences)


def format_number(value: float) -> str:
    """Format a number in the current locale."""
    return format_decimal(value, locale=current_locale())


def _format_value(value: str) -> str:
    # A text of the service may match our patterns and contain more digits than a real number.
    return format_number(int(value.replace(",", ""))) if NUMBER_PATTERN.fullmatch(value) else value
