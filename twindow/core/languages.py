"""The supported languages, and sentences that are marked for translation.

Sentences are translated when they are displayed. The database and the reply logs store codes, or
sentences in English, for readers of all languages.
"""

from __future__ import annotations

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
