"""The piece of a text around what was looked for, in parts that are hits and parts that are not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


Snippet = Sequence[Part]


class Pattern:
    """Find what a person looks for in a text; the last word may go on."""

    def __init__(self, runs: Sequence[str]) -> None:
        self._pattern = re.compile("|".join(_as_pattern(run, run is runs[-1]) for run in runs))

    def whole(self, text: str) -> Snippet:
        """Return the whole of a short text, its hits told apart."""
        return list(_parts(text, self._spans(text), 0, len(text)))

    def around(self, text: str, *, markdown: bool = False) -> Snippet:
        """Return the piece of a text around its first hit."""
        if markdown:
            text = _SIGNS.sub(" ", text)
        text = " ".join(text.split())
        spans = self._spans(text)
        first = next(spans, (0, 0))
        start = _at_blank(text, first[0] - BEFORE)
        end = len(text) if len(text) - start <= LENGTH else start + LENGTH
        end = max(first[1], text.rfind(" ", start, end) if end < len(text) else end)
        parts = list(_parts(text, iter([first, *_until(spans, end)]), start, end))
        opening = [Part("… ", hit=False)] if start else []
        closing = [Part(" …", hit=False)] if end < len(text) else []
        return [*opening, *parts, *closing]

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        folded = folding.fold(text)
        if len(folded) == len(text):
            yield from (found.span() for found in self._pattern.finditer(folded))
            return
        # Some sign becomes two, or none: find out which stands for which.
        signs = [folding.fold(sign) for sign in text[:SLOW_LIMIT]]
        places = [place for place, sign in enumerate(signs) for _ in sign]
        for found in self._pattern.finditer("".join(signs)):
            yield places[found.start()], places[found.end() - 1] + 1


def _as_pattern(run: str, last: bool) -> str:  # noqa: FBT001
    if folding.is_dense(run):
        return re.escape(run)
    goes_on = last and len(run) > 1
    return rf"(?<![^\W_]){re.escape(run)}" + (r"[^\W_]*" if goes_on else r"(?![^\W_])")


def _at_blank(text: str, place: int) -> int:
    """Return the beginning of a word near a place; writing without blanks is cut there."""
    if place <= 0:
        return 0
    blank = text.find(" ", place, place + BEFORE // 2)
    return blank + 1 if blank >= 0 else place


def _until(spans: Iterator[tuple[int, int]], end: int) -> Iterator[tuple[int, int]]:
    for span in spans:
        if span[0] >= end:
            return
        yield span


def _parts(text: str, spans: Iterator[tuple[int, int]], start: int, end: int) -> Iterator[Part]:
    at = start
    for first, last in spans:
        if first > at:
            yield Part(text[at:first], hit=False)
        if last > max(first, at):
            yield Part(text[max(first, at) : last], hit=True)
        at = max(at, last)
    if at < end:
        yield Part(text[at:end], hit=False)
