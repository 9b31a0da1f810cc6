"""Sentences for people: marked where they are written, translated where they are shown.

The database and the log of a reply hold them in English, for readers of all languages.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# Each is called by its own name.
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
    """Mark a sentence for translators, and return it as it is."""
    return sentence


def with_full_stop(sentence: str) -> str:
    """Return words with the full stop that they lack."""
    return sentence if sentence.endswith(SENTENCE_ENDINGS) else f"{sentence}."


@dataclass(frozen=True, slots=True)
class SentenceTemplate:
    """A sentence with values: `text` names their places, %(so)s."""

    text: str

    def format(self, **values: str) -> str:
        """Return the sentence with its values."""
        return self.text % values

    def extract_values(self, sentence: str) -> dict[str, str] | None:
        """Return the values in a sentence of this form; None for any other."""
        pattern = re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.*)", re.escape(self.text))
        match = re.fullmatch(pattern, sentence, re.DOTALL)
        return match.groupdict() if match else None
