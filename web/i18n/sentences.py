"""Sentences of ours in the language of the page, whenever they were written."""

from __future__ import annotations

import re

from babel.numbers import format_decimal
from flask import Flask

from chat.reply_worker import NOT_SENT, TOO_LONG
from core.languages import N_
from twinapi.errors import NOT_ACCEPTED
from twinapi.events import REPORTED
from web.i18n.locale import current, gettext

FORMS = (TOO_LONG, NOT_ACCEPTED, REPORTED)
COUNT = re.compile(r"[0-9][0-9,]{0,14}")
# What the service beside the portal says that it is doing.
STAGES = (N_("Queued"), N_("Thinking"), N_("Writing"))


def init_app(app: Flask) -> None:
    """Let every template tell."""
    app.add_template_filter(translated)
    app.add_template_filter(number)


def translated(sentence: str) -> str:
    """Translate a sentence of ours; one that is not ours, the service's say, stays as it is."""
    if not sentence:
        return ""
    first = sentence.removesuffix(f" {NOT_SENT}")
    if first != sentence:
        return together(first, NOT_SENT)
    for form in FORMS:
        if values := form.values(sentence):
            return gettext(form.text, **{name: _value(values[name]) for name in values})
    return gettext(sentence)


def together(*sentences: str) -> str:
    """Translate sentences that follow each other."""
    return " ".join(translated(sentence) for sentence in sentences)


def number(value: float) -> str:
    """Write a number."""
    return format_decimal(value, locale=current())


def _value(value: str) -> str:
    # What the service says may look like a sentence of ours, or be more digits than any number has.
    return number(int(value.replace(",", ""))) if COUNT.fullmatch(value) else value
