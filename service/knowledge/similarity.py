"""How similar passages are to a question.

The similarity is the mean of two values: how well the question agrees with the heading, or with one
of the questions that are also asked (Dice coefficient of their terms); and which share of the
question the passage covers as a whole. Rare terms weigh more than common ones, and a term that no
passage has weighs most.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from math import fsum, log

from service.knowledge.index import FoundPassage, KnowledgeIndex
from service.knowledge.terms import content_terms
from service.twins import Twin

# Below, a passage has the words of the question by chance: its section is about something else.
MIN_AGREEMENT = 0.25
# The rarest terms of a question that are searched; common terms are in too many passages.
MAX_SEARCH_TERMS = 6


def rank(
    index: KnowledgeIndex, twin: Twin, terms: Set[str]
) -> Sequence[tuple[FoundPassage, float]]:
    """Return the passages that have a term of the question, the most similar first."""
    total, counts = index.count(twin, list(terms))

    def weight(term: str) -> float:
        return log(1 + total / (0.5 + counts.get(term, 0)))

    def similarity(found: FoundPassage) -> float:
        agreement = max(_dice(terms, phrase, weight) for phrase in phrases(twin, found))
        if agreement < MIN_AGREEMENT:
            return agreement / 2
        return (agreement + _sum(terms & found.terms, weight) / _sum(terms, weight)) / 2

    rarest = sorted(terms & counts.keys(), key=lambda term: (counts[term], term))
    ranked = [(found, similarity(found)) for found in index.find(twin, rarest[:MAX_SEARCH_TERMS])]
    return sorted(ranked, key=lambda pair: -pair[1])


def phrases(twin: Twin, found: FoundPassage) -> Sequence[Set[str]]:
    """Return the terms of the heading of a passage, and of each question that is also asked."""
    texts = found.passage.heading, *found.passage.questions
    return [frozenset(content_terms(text, twin.language)) for text in texts]


def _dice(one: Set[str], other: Set[str], weight: Callable[[str], float]) -> float:
    """Return how well two sets of terms agree: 1 if they are equal, 0 if no term is shared."""
    size = _sum(one, weight) + _sum(other, weight)
    return 2 * _sum(one & other, weight) / size if size else 0.0


def _sum(terms: Set[str], weight: Callable[[str], float]) -> float:
    return fsum(map(weight, terms))
