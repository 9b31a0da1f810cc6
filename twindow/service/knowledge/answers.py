"""The rule that decides how a twin answers from its knowledge.

1. A question that is, word for word, a heading or one of the questions "Also asked" gets the first
   passage of that section.
2. Otherwise, the best passage (BM25) may answer it, if it shares two rare words of the question (or
   its only one), and a quarter of them.
3. An English message that refers to an earlier one, such as "Is it safe?", is searched together
   with the last one that has a subject of its own, and its answer is then never certain.
4. Otherwise, the twin says what its files are about, with headings near to the question.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from twindow.service.knowledge.index import KnowledgeIndex, Source
from twindow.service.knowledge.terms import question_terms, refers_to_earlier
from twindow.service.twins import Twin

MAX_PASSAGES = 3
# Passages for the prompt of a model.
MAX_PROMPT_PASSAGES = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """Passages below different headings: the answer, what may answer, or examples of the topics."""

    kind: Literal["certain", "possible", "topics"]
    sources: Sequence[Source]


def find_answer(
    index: KnowledgeIndex, twin: Twin, question: str, earlier_question: str = ""
) -> Answer:
    """Return how a twin answers a question. `earlier_question` names a subject, or is empty."""
    listed = index.find_question(twin, question)
    refers = bool(earlier_question) and refers_to_earlier(question, twin.language)
    if listed and not refers:
        return Answer("certain", listed[:1])
    found = index.search(twin, _with_subject(twin, question, earlier_question))
    nearest = [each.source for each in found]
    best = [*listed, *(each.source for each in found if each.may_answer)][:1]
    if best:
        return Answer("possible", _first_of_each_heading([*best, *nearest]))
    return Answer("topics", _first_of_each_heading([*nearest, *_examples(index, twin)]))


def find_prompt_passages(
    index: KnowledgeIndex, twin: Twin, question: str, earlier_question: str = ""
) -> Sequence[Source]:
    """Return the passages for the prompt of a model, the best first."""
    found = index.search(twin, _with_subject(twin, question, earlier_question))
    return [each.source for each in found if each.may_answer][:MAX_PROMPT_PASSAGES]


def _with_subject(twin: Twin, question: str, earlier_question: str) -> str:
    """Return what is searched for a question; thanks such as "That helped" ask for nothing."""
    asks = question_terms(question, twin.language) and refers_to_earlier(question, twin.language)
    return f"{question} {earlier_question}" if asks else question


def _examples(index: KnowledgeIndex, twin: Twin) -> Sequence[Source]:
    """Return the passages for the starters of the twin, or else its first passages."""
    starters = twin.front_matter.starters[:MAX_PASSAGES]
    found = (index.find_question(twin, starter)[:1] for starter in starters)
    return [each for passages in found for each in passages] or index.first_passages(twin)


def _first_of_each_heading(sources: Sequence[Source]) -> Sequence[Source]:
    """Return the first passage below each of the first `MAX_PASSAGES` headings."""
    first: dict[tuple[str, str], Source] = {}
    for source in sources:
        first.setdefault((source.file, source.heading), source)
    return list(first.values())[:MAX_PASSAGES]
