"""Internationalisation of the interface: locale, translations, times and numbers."""

from twindow.web.i18n import formatting, locale, sentences, service_messages
from twindow.web.i18n.formatting import exact_time, is_overdue, iso_time
from twindow.web.i18n.locale import bidi_isolate_text, current_locale, format_locale, gettext
from twindow.web.i18n.sentences import format_number, join_sentences, translate
from twindow.web.i18n.service_messages import (
    english_end_message,
    english_message,
    reply_end_message,
    service_message,
)
from twindow.web.i18n.timezone import to_local_time

__all__ = [
    "bidi_isolate_text",
    "current_locale",
    "english_end_message",
    "english_message",
    "exact_time",
    "format_locale",
    "format_number",
    "formatting",
    "gettext",
    "is_overdue",
    "iso_time",
    "join_sentences",
    "locale",
    "reply_end_message",
    "sentences",
    "service_message",
    "service_messages",
    "to_local_time",
    "translate",
]
