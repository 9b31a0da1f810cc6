"""Text folding for search: removes case, accents and vowel points, alike on every database."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

# Scripts without spaces (Thai to Khmer, kana, Han, Hangul), and symbols such as emoji.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2190-\u2bff\u3005-\u3007\u3021-\u3029\u3041-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff"
)
# Combining marks; in regular expressions of Python they are not part of a word.
_COMBINING_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff"
)
# Letters that Unicode does not decompose into a base letter and an accent.
_LETTER_REPLACEMENTS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"}
)
_DIACRITICS = re.compile(
    "[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670]"
)
# "C++" and "C#" are words of their own.
_TERM = re.compile(rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}]|[{_COMBINING_MARKS}])+(?:\+\+|#(?!\w))?")
# Normalisation sorts the marks of a letter in quadratic time, so texts are folded in chunks.
_CHUNK = re.compile(r".{1,100}(?=\s|$)|.{1,100}", re.DOTALL)
# Ligatures of whole phrases are ignored: each decomposes into up to eighteen characters.
_PHRASE_LIGATURES = re.compile("[\ufdfa\ufdfb]")
_UNSPACED_START = re.compile(rf"[{_UNSPACED}]")


def fold(text: str) -> str:
    """Return the text without case, accents and vowel points, for comparison."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_chunk, _CHUNK.findall(_PHRASE_LIGATURES.sub(" ", text))))


def _fold_chunk(text: str) -> str:
    stripped = _DIACRITICS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", stripped).translate(_LETTER_REPLACEMENTS)


# The fillers of Hangul and the blank of Braille.
_BLANK_LETTERS = "\u115f\u1160\u2800\u3164\uffa0"


def is_visible(text: str) -> bool:
    """Return whether a text has a character that people see."""
    return any(
        not (char.isspace() or char in _BLANK_LETTERS or unicodedata.category(char) in ("Cc", "Cf"))
        for char in text
    )


def is_unspaced(term: str) -> bool:
    """Return whether a term is in a script without spaces between words."""
    return bool(_UNSPACED_START.match(term))


def find_terms(text: str) -> Iterator[re.Match[str]]:
    """Yield a match for each term: a word, or adjacent characters of scripts without spaces."""
    return _TERM.finditer(text)


def join_terms(text: str) -> str:
    """Return the different terms of a text, folded, separated and surrounded by blanks.

    With LIKE, `% term %` finds a word, `% term%` the beginning of one, and `%term%` characters of
    scripts without spaces.
    """
    return f" {' '.join(dict.fromkeys(_TERM.findall(fold(text))))} "
