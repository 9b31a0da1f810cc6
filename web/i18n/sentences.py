"""Sentences of ours in the language of the page, whenever they were written."""

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
# What the service beside the portal says that it is doing.
STAGES = (N_("Queued"), N_("Thinking"), N_("Writing"))


def init_app(app: Flask) -> None:
    """Let every template tell."""
    app.add_template_filter(translate)
    app.add_template_filter(format_number)


def translate(sentence: str) -> str:
    """Translate a sentence of ours; one that is not ours, the service's say, stays as it is."""
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
    """Translate sentences that follow each other."""
    return " ".join(translate(sentence) for sentence in sentences)


def format_number(value: float) -> str:
    """Write a number."""
    return format_decimal(value, locale=current_locale())


def _format_value(value: str) -> str:
    # What the service says may look like a sentence of ours, or be more digits than any number has.
    return format_number(int(value.replace(",", ""))) if NUMBER_PATTERN.fullmatch(value) else value
