"""Passages in the prompt of a twin that answers with a model (`knowledge: prompt`)."""

from __future__ import annotations

from collections.abc import Sequence

from service.knowledge.index import FoundPassage, KnowledgeIndex, Source
from service.knowledge.similarity import rank
from service.knowledge.terms import MAX_FOLLOW_UP_TERMS, content_terms, question_terms
from service.twins import Twin

# Passages for the prompt of a model, and the similarity that they need.
MAX_PROMPT_PASSAGES = 4
MIN_PROMPT_SIMILARITY = 0.2

PROMPT = """Passages from files:

{passages}

Answer the message below from these passages. After each statement, write the number of its \
passage in brackets, for example [1]. If the passages do not answer the message, say so.

Message: {question}"""


def find_related(
    index: KnowledgeIndex, twin: Twin, question: str, earlier_question: str = ""
) -> Sequence[FoundPassage]:
    """Return the passages for the prompt of a model, the most similar first.

    A short question is searched together with the question before it.
    """
    terms = question_terms(question, twin.language)
    if len(terms) <= MAX_FOLLOW_UP_TERMS:
        terms |= frozenset(content_terms(earlier_question, twin.language))
    ranked = rank(index, twin, terms)[:MAX_PROMPT_PASSAGES]
    return [found for found, similarity in ranked if similarity >= MIN_PROMPT_SIMILARITY]


def prompt_with_sources(question: str, sources: Sequence[Source]) -> str:
    """Return the message for a model that answers a question from numbered passages."""
    passages = [
        f"[{number}] {source.heading}\n{source.passage}" for number, source in enumerate(sources, 1)
    ]
    return PROMPT.format(passages="\n\n".join(passages), question=question)
