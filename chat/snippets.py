"""The piece of a text around what was looked for, in parts that are hits and parts that are not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from chat import folding

BEFORE = 50
LENGTH = 200
SLOW_LIMIT = 20_000

_SIGNS = re.compile(
    r"[*`#|]+|!?\[(?=[^\[\]]{0,500}\]\()|\]\([^()\s]{0,2000}\)"
    r"|(?:^|(?<=\s))(?:>|[-=]{3,})(?=\s|$)"
)


class Part(NamedTuple):
    """Some text, and whether it was looked for."""

    text: str
    hit: bool


class _Span(NamedTuple):
    """Where a hit stands in a text, and which of the words it is."""

    start: int
    end: int
    word: int


Snippet = Sequence[Part]


class Pattern:
    """Find what a person looks for in a text; the last word may go on."""

    def __init__(self, runs: Sequence[str]) -> None:
        # One group for each word tells which of them was found.
        self._pattern = re.compile("|".join(f"({_as_pattern(run, runs[-1])})" for run in runs))

    def whole(self, text: str) -> Snippet:
        """Return the whole of a text, its hits told apart."""
        return list(_parts(text, self._spans(text), 0, len(text)))

    def around(self, text: str, *, markdown: bool = False) -> Snippet:
        """Return the piece of a text around the word that it says least often."""
        if markdown:
            text = _SIGNS.sub(" ", text)
        text = " ".join(text.split())
        spans = list(self._spans(text))
        times = Counter(span.word for span in spans)
        rarest = min(spans, key=lambda span: times[span.word], default=_Span(0, 0, 0))
        start = _at_blank(text, rarest.start - BEFORE)
        end = len(text) if len(text) - start <= LENGTH else start + LENGTH
        end = max(rarest.end, text.rfind(" ", start, end) if end < len(text) else end)
        near = (span for span in spans if start <= span.start < end)
        opening = [Part("… ", hit=False)] if start else []
        closing = [Part(" …", hit=False)] if end < len(text) else []
        return [*opening, *_parts(text, near, start, end), *closing]

    def _spans(self, text: str) -> Iterator[_Span]:
        folded = folding.fold(text)
        if len(folded) == len(text):
            for found in self._pattern.finditer(folded):
                yield _Span(*found.span(), found.lastindex or 0)
            return
        # Some sign becomes two, or none: find out which stands for which.
        signs = [folding.fold(sign) for sign in text[:SLOW_LIMIT]]
        places = [place for place, sign in enumerate(signs) for _ in sign]
        for found in self._pattern.finditer("".join(signs)):
            end = places[found.end() - 1] + 1
            yield _Span(places[found.start()], end, found.lastindex or 0)


def _as_pattern(run: str, last: str) -> str:
    if folding.is_dense(run):
        return re.escape(run)
    goes_on = run is last and len(run) > 1
    return rf"(?<![^\W_]){re.escape(run)}" + (r"[^\W_]*" if goes_on else r"(?![^\W_])")


def _at_blank(text: str, place: int) -> int:
    """Return the beginning of a word near a place; writing without blanks is cut there."""
    if place <= 0:
        return 0
    blank = text.find(" ", place, place + BEFORE // 2)
    return blank + 1 if blank >= 0 else place


def _parts(text: str, spans: Iterable[_Span], start: int, end: int) -> Iterator[Part]:
    at = start
    for first, last, _ in spans:
        if first > at:
            yield Part(text[at:first], hit=False)
        if last > max(first, at):
            yield Part(text[max(first, at) : last], hit=True)
        at = max(at, last)
    if at < end:
        yield Part(text[at:end], hit=False)
