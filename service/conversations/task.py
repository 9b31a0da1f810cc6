"""Tasks: what the bundled model gets of a message to a twin that has a `message_template`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from core.text_folding import find_terms, fold
from service.knowledge import is_in_other_language, question_terms, refers_to_earlier
from service.twins import MESSAGE_PLACEHOLDER, Twin

# A longer task is not repeated at the start of a reply.
MAX_REPEATED_CHARACTERS = 80
# Words of messages such as "Now a funnier one", which repeat the last task.
VARIATIONS = frozenset(
    """bedtime boring different end ending exciting funnier funny happier happy long longer new next
    repeat retry sad sadder scarier scary short shorter silly simpler story sweet word
    write""".split()  # noqa: SIM905
)

# Of "robot, moon".
_SEPARATOR = re.compile(r"\s*[,;/+&]\s*")


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
    lead = f" {words_before[-1]} " if words_before else ""
    _, found, task = message.partition(lead) if lead else ("", "", message)
    task = _SEPARATOR.sub(" and ", (task if found else message).strip(" .!?\n"))
    task = " ".join(task.split())
    is_question = not found and message.rstrip().endswith("?")
    is_task = question_terms(task) and not refers_to_earlier(task) and not _is_variation(task)
    return task if is_task and not is_question and not is_in_other_language(task) else ""


def _is_variation(message: str) -> bool:
    words = [match[0] for match in find_terms(fold(message))]
    others = " ".join(word for word in words if word not in VARIATIONS)
    has_variation = len(others.split()) < len(words) or {"another", "again", "more"} & set(words)
    return bool(has_variation) and not question_terms(others)
