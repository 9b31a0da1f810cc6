"""Checked questions: `questions.yaml` in a knowledge folder, with the heading of each answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

import yaml

from service import file_stamp
from service.knowledge.answers import Choices, Nearest, Possible, Quotation, Unknown, find_answer
from service.knowledge.index import FoundPassage, KnowledgeIndex
from service.twins import Twin

FILE_NAME = "questions.yaml"
MAX_QUESTIONS_BYTES = 1024**2

Outcome = Literal["right", "offered", "wrong", "refused"]


class InvalidQuestions(Exception):
    """Raised for an unusable `questions.yaml`; the message says why."""


def load(path: Path) -> Mapping[str, str]:
    """Load questions and the headings of their answers; "" if a question has no answer.

    Raises InvalidQuestions.
    """
    try:
        data = file_stamp.read_file(path, max_bytes=MAX_QUESTIONS_BYTES)
        # All scalars are text: a question can be `Why?` or `1984`.
        questions = yaml.load(data, Loader=yaml.BaseLoader) or {}  # noqa: S506
    except file_stamp.UnreadableFile as error:
        raise InvalidQuestions(f"it {error}.") from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise InvalidQuestions(f"line {line}: {error.problem}.") from None
    except (yaml.YAMLError, RecursionError):
        raise InvalidQuestions("it is not valid YAML.") from None
    is_valid = isinstance(questions, dict) and all(
        isinstance(text, str) for item in questions.items() for text in item
    )
    if not is_valid:
        raise InvalidQuestions("expected a question, a colon and a heading on each line.")
    return {
        question: "" if heading == "none" else heading for question, heading in questions.items()
    }


def report(index: KnowledgeIndex, twin: Twin, questions: Mapping[str, str]) -> Iterator[str]:
    """Yield how many questions are answered right, then a line for each that is not."""
    answerable, others = Counter[Outcome](), Counter[Outcome]()
    known_headings = index.headings(twin)
    lines: list[str] = []
    for question, heading in questions.items():
        outcome, headings = _try(index, twin, question, heading)
        (answerable if heading else others)[outcome] += 1
        if heading and heading not in known_headings:
            lines.append(f"no such heading: {question} ({heading})")
        elif outcome != ("right" if heading else "refused"):
            lines.append(f"{outcome}: {question} ({', '.join(headings)})")
    counts = ", ".join(
        f"{answerable[outcome]} {outcome}" for outcome in ("right", "offered", "wrong", "refused")
    )
    yield (
        f"{twin.id}: {answerable.total()} questions with an answer: {counts}; "
        f"{others.total()} without: {others['refused']} refused."
    )
    yield from lines


def starters_without_passage(index: KnowledgeIndex, twin: Twin) -> Sequence[str]:
    """Return the starters of a twin for which it finds no passage."""
    return [
        starter
        for starter in twin.front_matter.starters
        if isinstance(find_answer(index, twin, starter), Possible | Nearest | Unknown)
    ]


def _try(
    index: KnowledgeIndex, twin: Twin, question: str, heading: str
) -> tuple[Outcome, Sequence[str]]:
    """Return how a question is answered, and the headings of the passages in the answer."""
    match find_answer(index, twin, question):
        case Quotation(found):
            outcome: Outcome = "right" if _is_below(heading, found) else "wrong"
            return outcome, [found.passage.heading]
        case Possible(found):
            return ("offered" if _is_below(heading, found) else "refused"), [found.passage.heading]
        case Unknown():
            return "refused", []
        case Choices(passages) | Nearest(passages, _):
            is_offered = any(_is_below(heading, found) for found in passages)
            headings = [found.passage.heading for found in passages]
            return ("offered" if is_offered else "refused"), headings


def _is_below(heading: str, found: FoundPassage) -> bool:
    return heading in found.passage.headings
