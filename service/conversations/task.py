"""Tasks: what the bundled model gets of a message to a twin that has a `message_template`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.text_folding import find_terms, fold
from service.knowledge import is_in_other_language, is_question, question_terms, refers_to_earlier
from service.twins import MESSAGE_PLACEHOLDER, Twin

# A longer task is not repeated at the start of a reply.
MAX_REPEATED_CHARACTERS = 80
# Words of messages such as "Now a funnier one", which repeat the last task.
VARIATIONS = frozenset(
    """bedtime boring different end ending exciting funnier funny happier happy long longer new next
    repeat retry sad sadder scarier scary short shorter silly simpler story sweet word
    write""".split()  # noqa: SIM905
)

# In "Ok, robot, moon, please".
_SEPARATOR = re.compile(r"\s*[,;/+&]\s*")
_POLITENESS = re.compile(
    r"\A(?:(?:ok|okay|no|now|please|so|then|yes)\b[\s,]*)+|(?:[\s,]+(?:in it|please|for me))+\Z",
    re.IGNORECASE,
)


def find_task(twin: Twin, messages: Sequence[str]) -> str:
    """Return what the newest message asks for, or "" if it is no task for a small model.

    The model sees nothing else, so "What is it?" and "Thanks!" are no tasks. "A funnier one" is
    the last task again. `messages` are those of the person, the newest first.
    """
    for message in messages:
        if task := _task(twin, message):
            return task
        if not _is_variation(message):
            break
    return ""


def reply_start(twin: Twin, task: str) -> str:
    """Return the beginning of the reply to a task, from the `reply_start` of the twin."""
    start = twin.front_matter.reply_start if len(task) <= MAX_REPEATED_CHARACTERS else ""
    return f"{start.replace(MESSAGE_PLACEHOLDER, task)} " if start else ""


def _task(twin: Twin, message: str) -> str:
    """Return the task in a message: of "Tell me a story about cats!", what follows "about"."""
    template = twin.front_matter.message_template or ""
    words_before = template.partition(MESSAGE_PLACEHOLDER)[0].split()
    for lead in (":", *(f" {word} " for word in (*words_before[-1:], "with"))):
        if lead in message and (task := _as_task(message.partition(lead)[2])):
            return task
    return "" if is_question(message) else _as_task(message)


def _as_task(text: str) -> str:
    """Return a text without politeness, and "cat dog" as "cat and dog"; "" if it is no task."""
    sentence = re.split(r"[.!?\n]|, if ", text.strip(" .!?\n"), maxsplit=1)[0]
    task = _SEPARATOR.sub(" and ", _POLITENESS.sub("", sentence))
    words = task.split()
    is_task = question_terms(task) and not refers_to_earlier(task) and not _is_variation(task)
    if not is_task or is_in_other_language(task):
        return ""
    return (" and " if len(words) == len(question_terms(task)) == 2 else " ").join(words)


def _is_variation(message: str) -> bool:
    words = [match[0] for match in find_terms(fold(message))]
    others = " ".join(word for word in words if word not in VARIATIONS)
    has_variation = len(others.split()) < len(words) or {"another", "again", "more"} & set(words)
    return bool(has_variation) and not question_terms(others)
