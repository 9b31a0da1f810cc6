"""The supported languages, and sentences that are marked for translation.

Sentences are translated when they are displayed. The database and the reply logs store them in
English, for readers of all languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Each language has its name in that language.
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "es": "Español",
    "ar": "العربية",
    "ja": "日本語",
}
SENTENCE_ENDINGS = (".", "!", "?", "…", "\u3002", "\uff01", "\uff1f", "\u061f")


def N_(sentence: str) -> str:  # noqa: N802 - the name that tools for translators look for
    """Mark a sentence for translators, and return it unchanged."""
    return sentence


def with_full_stop(sentence: str) -> str:
    """Return the sentence, with a full stop if it has no final punctuation."""
    return sentence if sentence.endswith(SENTENCE_ENDINGS) else f"{sentence}."


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """A sentence with values; `text` has placeholders such as %(name)s."""

    text: str

    def format(self, **values: str) -> str:
        """Return the sentence with its placeholders replaced."""
        return self.text % values

    def extract_values(self, sentence: str) -> dict[str, str] | None:
        """Return the values in a sentence made from this template; None for any other sentence."""
        pattern = re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.*)", re.escape(self.text))
        match = re.fullmatch(pattern, sentence, re.DOTALL)
        return match.groupdict() if match else None
