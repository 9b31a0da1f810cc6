"""Frozen copy of the search index code for migration 0007, independent of the current code."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import Any

from sqlalchemy import ARRAY, Connection, Text, bindparam, cast, column, func, insert, table

PASSAGES = table(
    "passages", column("conversation_id"), column("turn_id"), column("kind"), column("words")
)
MAX_WORD_LENGTH = 60
# Scripts without spaces (Thai to Khmer, kana, Han, Hangul), and symbols such as emoji.
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2190-\u2bff\u3005-\u3007\u3021-\u3029\u3041-\u31ff"
    "\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U0001f000-\U0001faff\U00020000-\U0003ffff"
)
# Combining marks; in Python's regular expressions, `\w` does not match these marks.
_COMBINING_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a"
    "\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0963\u0966-\u0dff\u0f00-\u0fff"
)
# Letters that Unicode does not decompose into a base letter and an accent.
_LETTER_REPLACEMENTS = str.maketrans(
    {"æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "\u0131": "i"}
)
_DIACRITICS = re.compile("[\u0300-\u036f\u0591-\u05c7\u0640\u064b-\u065f\u0670]")
_TERM = re.compile(rf"[{_UNSPACED}]+|(?:[^\W_{_UNSPACED}]|[{_COMBINING_MARKS}])+")
# Normalisation takes quadratic time for many combining marks, so texts are split into chunks.
_CHUNK = re.compile(r".{1,100}(?=\s|$)|.{1,100}", re.DOTALL)
# Ligatures for whole phrases, which decomposition makes up to eighteen times as long.
_PHRASE_LIGATURES = re.compile("[\ufdfa\ufdfb]")
_UNSPACED_START = re.compile(rf"[{_UNSPACED}]")
# PostgreSQL limits the words of a row (a `tsvector`) to one mebibyte.
MAX_ROW_CHARS = 40_000
MAX_BACKTRACK_CHARS = 1_000

Row = Mapping[str, Any]


def make_rows(
    person: str, conversation_id: str, turn_id: str | None, kind: str, text: str
) -> Iterator[Row]:
    """Yield the index rows of a text: one, or several if it is very long."""
    for piece in _split(text):
        yield {
            "conversation_id": conversation_id,
            "turn_id": turn_id,
            "kind": kind,
            "list": [
                owner_token(person, title=kind == "title"),
                *sorted(index_words(piece)),
            ],
        }


def owner_token(person: str, *, title: bool) -> str:
    """Return the word that marks the index rows of a person; rows of titles have another word.

    A query for such a word lets the index select the person's rows, however many rows other people
    have. No text contains such a word, because "=" never occurs in an indexed word.
    """
    return ("=t" if title else "=m") + hashlib.sha256(person.encode()).hexdigest()[:24]


def insert_rows(connection: Connection, rows: Iterable[Row]) -> None:
    """Insert index rows."""
    row_list = list(rows)
    if not row_list:
        return
    if connection.dialect.name == "postgresql":
        words = func.array_to_tsvector(cast(bindparam("list"), ARRAY(Text)))
        connection.execute(insert(PASSAGES).values(words=words), row_list)
    else:
        values = [{**row, "words": " ".join(row["list"])} for row in row_list]
        connection.execute(insert(PASSAGES), values)


def _split(text: str) -> Iterator[str]:
    while len(text) > MAX_ROW_CHARS:
        blank_at = max(
            text.rfind(blank, MAX_ROW_CHARS - MAX_BACKTRACK_CHARS, MAX_ROW_CHARS) for blank in " \n"
        )
        end = blank_at if blank_at > 0 else MAX_ROW_CHARS
        yield text[:end]
        text = text[end:]
    yield text


def fold(text: str) -> str:
    """Return the text in lower case and without accents, for comparison."""
    if text.isascii():
        return text.lower()
    return "".join(map(_fold_chunk, _CHUNK.findall(_PHRASE_LIGATURES.sub(" ", text))))


def _fold_chunk(text: str) -> str:
    stripped = _DIACRITICS.sub("", unicodedata.normalize("NFKD", text).casefold())
    return unicodedata.normalize("NFKC", stripped).translate(_LETTER_REPLACEMENTS)


def is_unspaced(term: str) -> bool:
    """Return whether a term is in a script without spaces between words."""
    return bool(_UNSPACED_START.match(term))


def index_words(text: str) -> set[str]:
    """Return the words under which a text is indexed.

    Terms of scripts without spaces are split into characters and pairs of adjacent characters.
    """
    words: set[str] = set()
    for term in set(_TERM.findall(fold(text))):
        if is_unspaced(term):
            words.update(term)
            words.update(map("".join, pairwise(term)))
        else:
            words.add(term[:MAX_WORD_LENGTH])
    return words
