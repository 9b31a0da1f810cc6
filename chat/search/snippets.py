"""The piece of a text around what was looked for, in parts that are hits and parts that are not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from core import text_folding

BEFORE = 50
LENGTH = 200
SLOW_LIMIT = 20_000
# So many hits tell which word is rare.
ENOUGH = 200

# What stands for itself stays: "a ** b" and "if i > 1" are no Markdown.
_SIGNS = re.compile(
    r"^[ \t]*(?:(?:>|#{1,6}(?=\s)|\*(?=\s))[ \t]*)+|`+"
    r"|(?<![A-Za-z0-9_*])\*+(?=[^\s*])|(?<=[^\s*])\*+(?![A-Za-z0-9_*])"
    r"|!?\[(?=[^\[\]]{0,500}\]\()|\]\([^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,500}\")?\)"
    r"|\[\^[^\s\]]{1,100}\]:?|(?<!\S):?[-=]{3,}:?(?!\S)",
    re.MULTILINE,
)
_ROW = re.compile(r"^[ \t]*\|[^\n]*", re.MULTILINE)


class Part(NamedTuple):
    """Some text, and whether it was looked for."""

    text: str
    hit: bool


class Span(NamedTuple):
    """Where a hit stands in a text, and which of the words it is."""

    start: int
    end: int
    word: int


Snippet = Sequence[Part]


class Pattern:
    """Find what a person looks for in a text; the last word may go on."""

    def __init__(self, runs: Sequence[str]) -> None:
        # One group for each word tells which of them was found.
        self._words = [f"({_as_pattern(run, runs[-1])})" for run in runs]
        self._pattern = re.compile("|".join(self._words))

    def whole(self, text: str, *, most: int | None = None) -> Snippet:
        """Return the whole of a text, its hits (the first, so many of them) told apart."""
        spans = _Folded(text).spans(self._pattern)
        return list(_parts(text, islice(spans, most)))

    def around(self, text: str, *, markdown: bool = False) -> Snippet:
        """Return the piece of a text around the word that it seems to say least often."""
        if markdown:
            text = _ROW.sub(lambda row: row[0].replace("|", " "), text)
            text = _SIGNS.sub(" ", text)
        text = " ".join(text.split())
        rarest = self.rarest(text)
        start = _at_blank(text, rarest.start - BEFORE)
        end = len(text) if len(text) - start <= LENGTH else start + LENGTH
        end = max(rarest.end, text.rfind(" ", start, end) if end < len(text) else end)
        opening = [Part("… ", hit=False)] if start else []
        closing = [Part(" …", hit=False)] if end < len(text) else []
        return [*opening, *self.whole(text[start:end]), *closing]

    def rarest(self, text: str) -> Span:
        """Find a place of the word that comes least often at the beginning of a text.

        Where there is none, it ends at 0.
        """
        folded = _Folded(text)
        spans = list(islice(folded.spans(self._pattern), ENOUGH))
        times = Counter(span.word for span in spans)
        later = [word for n, word in enumerate(self._words, 1) if n not in times]
        if len(spans) == ENOUGH and later:
            rest = folded.spans(re.compile("|".join(later)))
            if found := next(rest, None):
                return found
        return min(spans, key=lambda span: times[span.word], default=Span(0, 0, 0))


class _Folded:
    """A text as it is compared, and where in the text each sign of that stands."""

    def __init__(self, text: str) -> None:
        self._words = text_folding.fold(text)
        self._places: Sequence[int] = range(len(text))
        if any(len(text_folding.fold(sign)) != 1 for sign in set(text)):
            # Some sign becomes two, or none: find out which stands for which.
            signs = [text_folding.fold(sign) for sign in text[:SLOW_LIMIT]]
            self._words = "".join(signs)
            self._places = [place for place, sign in enumerate(signs) for _ in sign]

    def spans(self, pattern: re.Pattern[str]) -> Iterator[Span]:
        """Find what the pattern finds, by its place in the text."""
        for found in pattern.finditer(self._words):
            end = self._places[found.end() - 1] + 1
            yield Span(self._places[found.start()], end, found.lastindex or 0)


def _as_pattern(run: str, last: str) -> str:
    if text_folding.is_dense(run):
        return re.escape(run)
    goes_on = run is last and len(run) > 1
    return rf"(?<![^\W_]){re.escape(run)}" + (r"[^\W_]*" if goes_on else r"(?![^\W_])")


def _at_blank(text: str, place: int) -> int:
    """Return the beginning of a word near a place; writing without blanks is cut there."""
    if place <= 0:
        return 0
    blank = text.find(" ", place, place + BEFORE // 2)
    return blank + 1 if blank >= 0 else place


def _parts(text: str, spans: Iterable[Span]) -> Iterator[Part]:
    at = 0
    for first, last, _ in spans:
        if first > at:
            yield Part(text[at:first], hit=False)
        if last > max(first, at):
            yield Part(text[max(first, at) : last], hit=True)
        at = max(at, last)
    if at < len(text):
        yield Part(text[at:], hit=False)
