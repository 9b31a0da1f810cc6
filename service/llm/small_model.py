"""Limits of the bundled model: replies without loops that end with a sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set

# The previous message, its reply and the new message. With more, replies drift off the subject.
MAX_HISTORY_MESSAGES = 3
# After `max_tokens`, a reply may use this many tokens to finish its sentence.
TOKENS_TO_FINISH = 60
# Shorter sentences, such as "Yes.", may occur twice.
MIN_REPEATED_LENGTH = 12
SENTENCE_MARKS = ".!?…"

_SENTENCE_END = re.compile(r"(?<=[.!?…])([\"'”)]*)\s+|\n+")
# Words that follow each other three times.
_LOOP = re.compile(r"(.{6,80}?)\1\1\Z", re.DOTALL)
_LOOP_LENGTH = 240


def finish_well(pieces: Iterator[str], max_tokens: int) -> Iterator[str]:
    """Yield the pieces until a sentence is repeated, or one ends after `max_tokens` pieces."""
    sentences: set[str] = set()
    text = ""
    held_back = ""
    start = 0
    for count, piece in enumerate(pieces, 1):
        text += piece
        held_back += piece
        while match := _SENTENCE_END.search(text, start):
            sentence = _normalize(text[start : match.start()])
            if sentence in sentences:
                return
            # Lines of code and tables may occur twice.
            if len(sentence) >= MIN_REPEATED_LENGTH and sentence[-1] in SENTENCE_MARKS:
                sentences.add(sentence)
            start = match.end()
            if count >= max_tokens:
                end = max(match.start(), match.end(1))
                yield held_back[: max(0, len(held_back) - (len(text) - end))]
                return
        loop = _LOOP.search(text[-_LOOP_LENGTH:])
        if loop and any(map(str.isalpha, loop[1])):
            return
        if not _begins_like_one_of(sentences, _normalize(text[start:])):
            yield held_back
            held_back = ""
    if held_back and _normalize(text[start:]) not in sentences:
        yield held_back


def _begins_like_one_of(sentences: Set[str], beginning: str) -> bool:
    return bool(beginning) and any(sentence.startswith(beginning) for sentence in sentences)


def _normalize(sentence: str) -> str:
    return " ".join(sentence.split()).casefold()
