"""The rule that decides how a twin answers from its knowledge.

1. A question that is, word for word, one of the questions that are also asked gets their passage.
2. Any other question is reduced to its terms: stems of its words, without stop words.
3. Passages are compared with these terms: `similarity.py`.
4. The most similar passage is quoted if it is similar enough; less is enough if no passage with
   another heading is half as similar and it has all terms of a short question. If one is about as
   similar, the twin offers both passages. Of about equal passages of one section, the first is
   quoted.
5. A short question is tried together with the last one that names its subject; the passage must
   have all of its terms. If it is answered alone, too, and has no word such as "it", the twin
   offers both passages. Instead of the passage that answers that question, it quotes another one
   of the same file that has all terms in its text, or offers its other sections.
6. Otherwise, the twin shows a passage that is far more similar than all others and says that it is
   not sure; or it offers the nearest passages, or examples of what it knows. A misspelled question
   is offered what it probably means.

A twin that answers with a model gets passages in its prompt instead: `prompt.py`.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass, replace

from service.knowledge.index import FoundPassage, KnowledgeIndex
from service.knowledge.similarity import phrases, rank
from service.knowledge.terms import (
    MAX_FOLLOW_UP_TERMS,
    content_terms,
    is_long_question,
    question_terms,
    refers_to_earlier,
    whole_question,
)
from service.twins import Twin

MIN_SIMILARITY = 0.55
# The same for a question of one term, such as "And my colleagues?".
MIN_ONE_TERM_SIMILARITY = 0.9
# The same for a passage that is at least twice as similar as any with another heading.
MIN_DISTINCT_SIMILARITY = 0.5
# The same for such a passage that may answer the question.
MIN_POSSIBLE_SIMILARITY = 0.3
# Two passages are about as similar if they differ by less than this.
MARGIN = 0.05
# The same for passages of one section.
SECTION_MARGIN = 0.15
# Passages that are offered although they do not answer the question.
MIN_NEAREST_SIMILARITY = 0.05
# Below, the twin says that it knows nothing about the subject.
MIN_CLOSE_SIMILARITY = 0.13
MAX_OFFERED = 3


@dataclass(frozen=True, slots=True)
class Quotation:
    """The passage that answers the question."""

    found: FoundPassage


@dataclass(frozen=True, slots=True)
class Choices:
    """Passages with different headings that answer the question equally well."""

    found: Sequence[FoundPassage]


@dataclass(frozen=True, slots=True)
class Possible:
    """The only passage that may answer the question."""

    found: FoundPassage


@dataclass(frozen=True, slots=True)
class Nearest:
    """Passages with different headings that have words of the question, but do not answer it.

    `is_close` is false if they have only some common words of the question.
    """

    found: Sequence[FoundPassage]
    is_close: bool = True


@dataclass(frozen=True, slots=True)
class Unknown:
    """No passage is about the question. `examples` are passages that the twin offers instead.

    `is_greeting` is true for a message without a question, such as "Hello" or "Thanks!".
    """

    examples: Sequence[FoundPassage]
    is_greeting: bool = False


PassageAnswer = Quotation | Choices | Possible | Nearest
Answer = PassageAnswer | Unknown


def find_answer(
    index: KnowledgeIndex, twin: Twin, question: str, earlier_question: str = ""
) -> Answer:
    """Return how the twin answers a question, which may be about that of an earlier question."""
    terms = question_terms(question, twin.language)
    if asked := index.find(twin, [whole_question(question)]):
        return Quotation(_best_of_section(twin, terms, asked))
    answer = _answer(index, twin, terms)
    if earlier_question and len(terms) <= MAX_FOLLOW_UP_TERMS:
        subject_terms = frozenset(content_terms(earlier_question, twin.language))
        refers = refers_to_earlier(question)
        if terms or refers:
            answer = _answer_follow_up(index, twin, terms, subject_terms, answer, refers=refers)
    if terms and not isinstance(answer, Quotation | Choices):
        spelled = index.correct_spelling(twin, terms)
        guess = _answer(index, twin, spelled) if spelled != terms else None
        if isinstance(guess, Quotation):
            return Possible(guess.found)
        if isinstance(guess, Choices):
            return Nearest(guess.found)
    is_distant = isinstance(answer, Nearest) and not answer.is_close
    if answer and not is_distant:
        return answer
    examples = _examples(index, twin)
    if isinstance(answer, Nearest):
        return replace(answer, found=_first_of_each_heading([*answer.found, *examples]))
    if earlier_question and not terms:
        examples = _examples_after(index, twin, earlier_question, examples)
    return Unknown(examples, is_greeting=not terms and not is_long_question(question))


def _answer_follow_up(
    index: KnowledgeIndex,
    twin: Twin,
    terms: Set[str],
    subject_terms: Set[str],
    alone: PassageAnswer | None,
    *,
    refers: bool,
) -> PassageAnswer | None:
    """Return the answer to a short question that may be about the subject of an earlier question.

    `alone` is the answer to the question without the earlier one.
    """
    together = _answer(index, twin, terms | subject_terms)
    subject = _passages(_answer(index, twin, subject_terms))[:1]
    files = {found.file for found in subject}
    is_answered = isinstance(alone, Quotation | Choices)
    others = _passages(alone) if is_answered else []
    if isinstance(alone, Quotation | Possible) and alone.found.file in files:
        return Quotation(alone.found)
    if not (terms and isinstance(together, Quotation) and terms <= together.found.terms):
        if not (refers and subject):
            return alone
        own = [found for found in _passages(together) if found.file in files] or subject
        return Nearest(_first_of_each_heading([*own, *others]))
    all_terms = terms | subject_terms
    is_asked = any(terms <= each <= all_terms for each in phrases(twin, together.found))
    if is_asked or terms <= subject_terms or together.found not in subject:
        both = _first_of_each_heading([together.found, *others])
        return Choices(both) if len(both) > 1 and not refers else together
    # This passage answers the earlier question, too.
    of_file = _others_of_file(index, twin, all_terms, together.found)
    for found in of_file:
        if terms <= _text_terms(twin, found):
            return Quotation(found)
    if is_answered and not refers:
        return alone
    nearest, *rest = [*of_file, together.found]
    return Nearest(_first_of_each_heading([nearest, *others, *rest]))


def _answer(index: KnowledgeIndex, twin: Twin, terms: Set[str]) -> PassageAnswer | None:
    ranked = rank(index, twin, terms)
    if not ranked:
        return None
    best, best_value = ranked[0]
    rivals = [value for found, value in ranked if found.passage.heading != best.passage.heading]
    is_distinct = best_value >= 2 * max(rivals, default=0.0)
    is_complete = terms <= best.terms or len(terms) > MAX_FOLLOW_UP_TERMS
    minimum = MIN_DISTINCT_SIMILARITY if is_distinct and is_complete else MIN_SIMILARITY
    is_answer = best_value >= (MIN_ONE_TERM_SIMILARITY if len(terms) == 1 else minimum)
    is_possible = is_distinct and is_complete and best_value >= MIN_POSSIBLE_SIMILARITY
    if not (is_answer or is_possible):
        minimum = max(MIN_NEAREST_SIMILARITY, best_value / 3)
        near = _first_of_each_heading([found for found, value in ranked if value >= minimum])
        return Nearest(near, is_close=best_value >= MIN_CLOSE_SIMILARITY) if near else None
    equal = _first_of_each_heading([f for f, value in ranked if best_value - value < MARGIN])
    if is_answer and len(equal) > 1:
        return Choices(equal)
    section = (found for found, value in ranked if best_value - value < SECTION_MARGIN)
    same = [found for found in section if found.passage.headings == best.passage.headings]
    found = _best_of_section(twin, terms, same)
    return Quotation(found) if is_answer else Possible(found)


def _best_of_section(twin: Twin, terms: Set[str], passages: Sequence[FoundPassage]) -> FoundPassage:
    """Return the first passage of a section; a later one if only its text has most of the terms.

    A question like the heading is about the whole section.
    """
    first, *others = sorted(passages, key=lambda found: found.id)
    heading = frozenset(content_terms(first.passage.heading, twin.language))
    if 2 * len(terms & heading) <= len(terms):
        for found in (first, *others):
            if 2 * len(terms & _text_terms(twin, found)) > len(terms):
                return found
    return first


def _others_of_file(
    index: KnowledgeIndex, twin: Twin, terms: Set[str], quoted: FoundPassage
) -> Sequence[FoundPassage]:
    """Return the other passages of a file, the most similar first."""
    ranked = rank(index, twin, terms)
    return [found for found, _ in ranked if found.file == quoted.file and found != quoted]


def _text_terms(twin: Twin, found: FoundPassage) -> Set[str]:
    return frozenset(content_terms(found.passage.text, twin.language))


def _passages(answer: PassageAnswer | None) -> Sequence[FoundPassage]:
    match answer:
        case Quotation(found) | Possible(found):
            return [found]
        case Choices(passages) | Nearest(passages, _):
            return passages
        case _:
            return []


def _examples(index: KnowledgeIndex, twin: Twin) -> Sequence[FoundPassage]:
    """Return passages that answer the starters of the twin, or else its first passages."""
    starters = twin.front_matter.starters
    answers = (
        _answer(index, twin, frozenset(content_terms(starter, twin.language)))
        for starter in starters[:MAX_OFFERED]
    )
    found = [answer.found for answer in answers if isinstance(answer, Quotation)]
    return _first_of_each_heading(found or index.first_passages(twin))


def _examples_after(
    index: KnowledgeIndex, twin: Twin, question: str, examples: Sequence[FoundPassage]
) -> Sequence[FoundPassage]:
    """Return what else is in the file that answers a question, then the other examples."""
    terms = frozenset(content_terms(question, twin.language))
    for quoted in _passages(_answer(index, twin, terms))[:1]:
        others = _first_of_each_heading([*_others_of_file(index, twin, terms, quoted), *examples])
        return [each for each in others if each.passage.heading != quoted.passage.heading]
    return examples


def _first_of_each_heading(passages: Sequence[FoundPassage]) -> Sequence[FoundPassage]:
    """Return the first passage below each of the first `MAX_OFFERED` headings."""
    first = {found.passage.heading: found for found in reversed(passages)}
    headings = dict.fromkeys(found.passage.heading for found in passages)
    return [first[heading] for heading in headings][:MAX_OFFERED]
