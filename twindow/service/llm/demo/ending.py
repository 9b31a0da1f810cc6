"""The end of a reply of the demo model: with a sentence, and before it repeats a message."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

# After `max_tokens`, a reply may use this many tokens to finish its sentence.
TOKENS_TO_FINISH = 60
# So many words of a message in a row are not repeated as words of the model.
REPEATED_WORDS = 6

# Not the mark after "Mr".
_SENTENCE_END = re.compile(r"(?<=\w{3})[.!?…][\"'”)]*(?=\s)|\n")
_WORD = re.compile(r"\w+")


def end_well(pieces: Iterator[str], max_tokens: int, messages: Sequence[str]) -> Iterator[str]:
    """Yield the pieces until a sentence ends after `max_tokens` of them, or a message is repeated.

    The last words are held back until they are known to be no repetition.
    """
    repetitions = {run for message in messages for _, run in _runs(message)}
    text, sent, limit = "", 0, 0
    for count, piece in enumerate(pieces, 1):
        text += piece
        for start, run in _runs(text[sent:]):
            if run in repetitions:
                yield f"{text[sent : sent + start]}…"
                return
        if count == max_tokens:
            limit = len(text)
        if limit and (end := _SENTENCE_END.search(text, max(sent, limit))):
            yield text[sent : end.end()]
            return
        # The last word may be incomplete.
        starts = [match.start() + sent for match in _WORD.finditer(text[sent:])]
        if len(starts) > REPEATED_WORDS:
            start = starts[-REPEATED_WORDS]
            yield text[sent:start]
            sent = start
    yield text[sent:]


def _runs(text: str) -> Iterator[tuple[int, tuple[str, ...]]]:
    """Yield each run of words in a row, folded, with its start in the text."""
    words = [(match.start(), match[0].casefold()) for match in _WORD.finditer(text)]
    for index in range(len(words) - REPEATED_WORDS + 1):
        run = words[index : index + REPEATED_WORDS]
        yield run[0][0], tuple(word for _, word in run)
