"""Replies from the knowledge folders of the twins, and the thread that keeps the index current."""

from __future__ import annotations

import logging
import re
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from twindow.core.languages import N_, translate_to
from twindow.core.threadpool import in_serial_threadpool, in_threadpool
from twindow.service.knowledge.answers import find_answer, find_prompt_passages
from twindow.service.knowledge.index import KnowledgeIndex, Source
from twindow.service.knowledge.terms import question_terms
from twindow.service.twins import Twin, TwinRepository

T = TypeVar("T")

logger = logging.getLogger(__name__)

_WORD = re.compile(r"\s*\S+\s*")

MAY_ANSWER = N_("This may answer it:")
TOPICS = N_("I can only answer from my files. They are about, for example:")
NO_FILES = N_("I don't know anything yet: my knowledge folder is empty.")
NOT_IN_FILES = N_("My files say nothing about this.")

CLOSE_TIMEOUT_SECONDS = 2.0


@dataclass(frozen=True, slots=True)
class KnowledgeReply:
    """The Markdown text of a reply, and the passages that it quotes or offers."""

    text: str
    sources: Sequence[Source] = ()


class Knowledge:
    """The knowledge of all twins. Files are indexed in the background.

    Only a reply that comes before the first index waits for it.
    """

    update_seconds = 10.0

    def __init__(self, file: Path, twins: TwinRepository) -> None:
        self._twins = twins
        self.index = KnowledgeIndex(file, twins.folder)
        self._update_index = in_serial_threadpool(self.index.update)
        self._find_answer = in_threadpool(find_answer)
        self._find_prompt_passages = in_threadpool(find_prompt_passages)
        self._is_updated = threading.Event()
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True, name="knowledge")

    def start(self) -> None:
        """Start a thread that updates the index every `update_seconds`."""
        self._thread.start()

    def close(self) -> None:
        """Stop updating the index; wait for a running update, so that its file is complete."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join(CLOSE_TIMEOUT_SECONDS)

    def update(self) -> None:
        """Index the files that have changed. Without a twin that needs it, no index is created."""
        twins = self._knowledgeable_twins()
        if twins or self.index.file.exists():
            self._update_index(twins)
        self._is_updated.set()

    def problems(self) -> Sequence[str]:
        """Return a sentence about each file that cannot be read, without writing to the index."""
        twins = self._knowledgeable_twins()
        return [problem for twin in twins for problem in self.index.problems(twin)]

    def find_sources(
        self, twin: Twin, question: str, earlier_question: str = ""
    ) -> Sequence[Source]:
        """Return the passages for the prompt of a model."""
        return self._search(self._find_prompt_passages, twin, question, earlier_question)

    def answer(self, twin: Twin, question: str, earlier_question: str = "") -> KnowledgeReply:
        """Return the reply to a question, which may be about the subject of an earlier one."""
        answer = self._search(self._find_answer, twin, question, earlier_question)
        match answer.kind, answer.sources:
            case _, []:
                text = translate_to(twin.language, NO_FILES)
            case "certain", [source, *_]:
                text = source.passage
            case "possible", [source, *_]:
                text = f"{translate_to(twin.language, MAY_ANSWER)}\n\n{source.passage}"
            case _:
                text = translate_to(twin.language, TOPICS)
        return KnowledgeReply(text, answer.sources)

    def _search(
        self,
        find: Callable[[KnowledgeIndex, Twin, str, str], T],
        twin: Twin,
        question: str,
        earlier_question: str,
    ) -> T:
        """Search the index; build it before if it is new, and again if it is damaged."""
        if not self._is_updated.is_set():
            self.update()
        try:
            return find(self.index, twin, question, earlier_question)
        except sqlite3.DatabaseError:
            self.index.delete()
            self.update()
            return find(self.index, twin, question, earlier_question)

    def _knowledgeable_twins(self) -> Sequence[Twin]:
        return [twin for twin in self._twins.list_all() if twin.front_matter.knowledge]

    def _run(self) -> None:
        last_problem = ""
        while True:
            problem = ""
            try:
                self.update()
            except (OSError, sqlite3.Error) as error:
                problem = str(error)
            if problem and problem != last_problem:
                logger.error("The knowledge folders cannot be indexed: %s", problem)
            last_problem = problem
            if self._closed.wait(self.update_seconds):
                return


def missing_sources_note(twin: Twin, question: str) -> str:
    """Return what precedes a reply without passages; nothing for a greeting or thanks."""
    has_terms = bool(question_terms(question, twin.language))
    return f"*{translate_to(twin.language, NOT_IN_FILES)}*\n\n" if has_terms else ""


def split_pieces(text: str) -> Sequence[str]:
    """Split a text into words with their white space, to stream it."""
    return _WORD.findall(text)
