"""The language of a text that somebody wrote, for the `lang` attribute, which chooses a voice."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

# Enough for a reliable result.
MAX_LENGTH = 500
_CODE_OR_URL = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*`|https?://\S+", re.DOTALL)
# Letters of a script, and what texts in its other languages, such as Persian, do not match.
_SCRIPTS: Mapping[str, tuple[str, str]] = {
    "ja": ("[\u3041-\u30ff\u4e00-\u9fff]", "[\u3041-\u30ff]"),
    "zh": ("[\u4e00-\u9fff]", ""),
    "ko": ("[\uac00-\ud7a3]", ""),
    "ar": ("[\u0621-\u064a]", "^[^\u0671-\u06d3]*$"),
    "ru": ("[\u0400-\u04ff]", "[ыэ]"),
    "uk": ("[\u0400-\u04ff]", "[їє]"),
    "el": ("[\u0370-\u03ff]", ""),
    "he": ("[\u05d0-\u05ea]", ""),
    "th": ("[\u0e01-\u0e4e]", ""),
}
_COMMON_WORDS: Mapping[str, str] = {
    "en": "the and to is are that this with for you not what how it can",
    "de": "der die das und ist sind nicht ein eine ich sie zu mit wie auf",
    "fr": "le la les et est sont une des du je vous que pas dans pour",
    "es": "el la los las se es son una que por para con como del qué",
    "it": "il la che di è sono una non per con come del della gli",
    "pt": "os as que é são uma não um com para por como do da em",
    "nl": "de het een en is zijn niet van dat ik je met hoe voor",
}
# In most languages, more than a quarter of the words are common ones.
_MIN_SHARE = 0.1


def text_language(text: str) -> str:
    """Return the code of the language of a Markdown text, or "" if it is not certain."""
    return _find_language(text[:MAX_LENGTH])


@lru_cache(1_000)
def _find_language(text: str) -> str:
    text = _CODE_OR_URL.sub(" ", text).lower()
    letter_count = sum(map(str.isalpha, text))
    for language, (letters, distinction) in _SCRIPTS.items():
        if len(re.findall(letters, text)) * 2 > letter_count and re.search(distinction, text):
            return language
    words = re.findall(r"[^\W\d_]+", text)
    counts = {
        language: sum(map(frozenset(common.split()).__contains__, words))
        for language, common in _COMMON_WORDS.items()
    }
    second, best = sorted(counts.values())[-2:]
    if best == second or best < max(2, len(words) * _MIN_SHARE):
        return ""
    return max(counts, key=counts.__getitem__)
