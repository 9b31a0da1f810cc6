"""Search snippets: the part of a text around a hit, split into hits and the text between them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from twindow.core import text_folding

LEADING_CONTEXT_LENGTH = 50
SNIPPET_LENGTH = 200
MAX_MAPPED_LENGTH = 20_000
# The first hits are enough to tell which term is rare.
MAX_COUNTED_HITS = 200

# Matches only Markdown syntax: the characters of "a ** b" and "if i > 1" are kept.
_MARKDOWN_SYNTAX = re.compile(
    r"^[ \t]*(?:(?:>|#{1,6}(?=\s)|\*(?=\s))[ \t]*)+|`+"
    r"|(?<![A-Za-z0-9_*])\*+(?=[^\s*])|(?<=[^\s*])\*+(?![A-Za-z0-9_*])"
    r"|!?\[(?=[^\[\]]{0,500}\]\()|\]\([^()\s]{0,2000}(?:[ \t]+\"[^\"\n]{0,500}\")?\)"
    r"|\[\^[^\s\]]{1,100}\]:?|(?<!\S):?[-=]{3,}:?(?!\S)",
    re.MULTILINE,
)
_TABLE_ROW = re.compile(r"^[ \t]*\|[^\n]*", re.MULTILINE)


class SnippetPart(NamedTuple):
    """Part of a text, and whether it is a hit."""

    text: str
    is_hit: bool


class Span(NamedTuple):
    """Position of a hit in a text (`end` is exclusive) and the number of its term, from 1."""

    start: int
    end: int
    term_number: int


Snippet = Sequence[SnippetPart]


def plain_line(markdown: str) -> str:
    """Return a text on one line, without the syntax of Markdown."""
    text = _TABLE_ROW.sub(lambda row: row[0].replace("|", " "), markdown)
    return " ".join(_MARKDOWN_SYNTAX.sub(_gap, text).split())


def _gap(syntax: re.Match[str]) -> str:
    """Return a space for the end of a link before a word or another link, otherwise ""."""
    following = syntax.string[syntax.end() : syntax.end() + 2]
    is_before_word = following[:1].isalnum() or (following[:1] == "[" and following != "[^")
    return " " if syntax[0].startswith("]") and is_before_word else ""


class SearchPattern:
    """Compiled search terms. The last term also matches as a prefix."""

    def __init__(self, terms: Sequence[str]) -> None:
        # One group per term, so that `lastindex` tells which term matched.
        self._term_regexes = [f"({_term_regex(run, terms[-1])})" for run in terms]
        self._regex = re.compile("|".join(self._term_regexes))

    def split_hits(self, text: str, *, max_hits: int | None = None) -> Snippet:
        """Return the whole text, split at all hits, or at the first `max_hits` if given."""
        spans = _FoldedText(text).find_spans(self._regex)
        return list(_split_at_spans(text, islice(spans, max_hits)))

    def snippet(self, text: str, *, is_markdown: bool = False) -> Snippet:
        """Return the part of a text around its rarest hit, with ellipses; see `rarest_hit`."""
        text = plain_line(text) if is_markdown else " ".join(text.split())
        hit = self.rarest_hit(text)
        start = _word_start(text, hit.start - LEADING_CONTEXT_LENGTH)
        end = len(text) if len(text) - start <= SNIPPET_LENGTH else start + SNIPPET_LENGTH
        end = max(hit.end, text.rfind(" ", start, end) if end < len(text) else end)
        leading_ellipsis = [SnippetPart("… ", is_hit=False)] if start else []
        trailing_ellipsis = [SnippetPart(" …", is_hit=False)] if end < len(text) else []
        return [*leading_ellipsis, *self.split_hits(text[start:end]), *trailing_ellipsis]

    def rarest_hit(self, text: str) -> Span:
        """Return a hit of the rarest term; only the first `MAX_COUNTED_HITS` hits are counted.

        A term that occurs only after the counted hits is the rarest. Returns a span that ends at
        0 if there is no hit.
        """
        folded = _FoldedText(text)
        spans = list(islice(folded.find_spans(self._regex), MAX_COUNTED_HITS))
        hit_counts = Counter(span.term_number for span in spans)
        unseen_regexes = [
            word for n, word in enumerate(self._term_regexes, 1) if n not in hit_counts
        ]
        if len(spans) == MAX_COUNTED_HITS and unseen_regexes:
            further_spans = folded.find_spans(re.compile("|".join(unseen_regexes)))
            if rarest := next(further_spans, None):
                return rarest
        return min(spans, key=lambda span: hit_counts[span.term_number], default=Span(0, 0, 0))


class _FoldedText:
    """Folded text, and for each folded character its offset in the original text."""

    def __init__(self, text: str) -> None:
        self._folded = text_folding.fold(text)
        self._offsets: Sequence[int] = range(len(text))
        is_mapped = len(self._folded) == len(text) and all(
            len(text_folding.fold(sign)) == 1 for sign in set(text)
        )
        if not is_mapped:
            # Folding changes the length of characters, or joins some: map them one by one.
            folded_characters = [text_folding.fold(sign) for sign in text[:MAX_MAPPED_LENGTH]]
            self._folded = "".join(folded_characters)
            self._offsets = [offset for offset, sign in enumerate(folded_characters) for _ in sign]

    def find_spans(self, regex: re.Pattern[str]) -> Iterator[Span]:
        """Yield the matches of the pattern, as positions in the original text."""
        for match in regex.finditer(self._folded):
            end = self._offsets[match.end() - 1] + 1
            yield Span(self._offsets[match.start()], end, match.lastindex or 0)


def _term_regex(term: str, last_term: str) -> str:
    if text_folding.is_unspaced(term):
        return re.escape(term)
    is_prefix = term is last_term and len(term) > 1
    return rf"(?<![^\W_]){re.escape(term)}" + (r"[^\W_]*" if is_prefix else r"(?![^\W_])")


def _word_start(text: str, offset: int) -> int:
    """Return the start of the next word if it is near the offset, otherwise the offset."""
    if offset <= 0:
        return 0
    space = text.find(" ", offset, offset + LEADING_CONTEXT_LENGTH // 2)
    return space + 1 if space >= 0 else offset


def _split_at_spans(text: str, spans: Iterable[Span]) -> Iterator[SnippetPart]:
    offset = 0
    for start, end, _ in spans:
        if start > offset:
            yield SnippetPart(text[offset:start], is_hit=False)
        if end > max(start, offset):
            yield SnippetPart(text[max(start, offset) : end], is_hit=True)
        offset = max(offset, end)
    if offset < len(text):
        yield SnippetPart(text[offset:], is_hit=False)
