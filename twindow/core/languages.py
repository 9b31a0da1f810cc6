"""The supported languages, and sentences that are marked for translation.

Sentences are translated when they are displayed. The database and the reply logs store codes, or
sentences in English, for readers of all languages. Only what a twin says is translated before.
"""

from __future__ import annotations

import gettext

from twindow.paths import TRANSLATIONS

# Each language has its name in that language.
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "ar": "العربية",
    "ja": "日本語",
}


def N_(sentence: str) -> str:  # noqa: N802 - the name that tools for translators look for
    """Mark a sentence for translators, and return it unchanged."""
    return sentence


def translate_to(language: str, sentence: str) -> str:
    """Return a sentence in a language, such as `de` or `pt-BR`; in English if it is not known."""
    code = language.split("-")[0].lower()
    catalog = gettext.translation("messages", TRANSLATIONS, [code], fallback=True)
    return catalog.gettext(sentence)
