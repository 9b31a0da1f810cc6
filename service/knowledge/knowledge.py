"""Replies from the knowledge folders of the twins, and the thread that keeps the index current."""

from __future__ import annotations

import logging
import re
import sqlite3
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from core.server.threadpool import in_serial_threadpool, in_threadpool
from service.knowledge.answers import Choices, Quotation, Unknown, find_answer
from service.knowledge.index import KnowledgeIndex
from service.twins import Twin, TwinRepository

logger = logging.getLogger(__name__)

CHOICES = "Which of these do you mean?"
UNKNOWN = "I don't know that. I can tell you about:"
NO_KNOWLEDGE = "I don't know anything yet: my knowledge folder is empty."

_WORD = re.compile(r"\s*\S+\s*")


class Source(Struct, frozen=True):
    """A quoted passage, as in the interface."""

    file: str
    heading: str
    passage: str


@dataclass(frozen=True, slots=True)
class KnowledgeReply:
    """The Markdown text of a reply, and the passages that it quotes."""

    text: str
    sources: Sequence[Source] = ()


class Knowledge:
    """The knowledge of all twins. Files are indexed in the background, not by requests."""

    update_seconds = 10.0

    def __init__(self, file: Path, twins: TwinRepository) -> None:
        self._twins = twins
        self.index = KnowledgeIndex(file, twins.folder)
        self._update_index = in_serial_threadpool(self.index.update)
        self._find_answer = in_threadpool(find_answer)
        self._is_updated = threading.Event()
        self._closed = threading.Event()

    def start(self) -> None:
        """Start a thread that updates the index every `update_seconds`."""
        threading.Thread(target=self._run, daemon=True, name="knowledge").start()

    def close(self) -> None:
        """Stop updating the index."""
        self._closed.set()

    def update(self) -> None:
        """Index the files that have changed. Without a twin that needs it, no index is created."""
        twins = self._knowledgeable_twins()
        if twins or self.index.file.exists():
            self._update_index(twins)
        self._is_updated.set()

    def problems(self) -> Sequence[str]:
        """Return a sentence about each file that cannot be read, without writing to the index."""
        twins = self._knowledgeable_twins()
        with TemporaryDirectory() as folder:
            index = KnowledgeIndex(Path(folder, "knowledge.db"), self._twins.folder)
            index.update(twins)
            return [problem for twin in twins for problem in index.problems(twin)]

    def answer(self, twin: Twin, question: str, earlier_question: str = "") -> KnowledgeReply:
        """Return the reply to a question; a follow-up is searched with the question before it."""
        if not self._is_updated.is_set():
            self.update()
        match self._find_answer(self.index, twin, question, earlier_question):
            case Quotation(found):
                passage = found.passage
                return KnowledgeReply(
                    passage.text, [Source(found.file, passage.heading, passage.text)]
                )
            case Choices(headings):
                return KnowledgeReply(_list(CHOICES, headings))
            case Unknown(headings, is_greeting):
                if not headings:
                    return KnowledgeReply(NO_KNOWLEDGE)
                greeting = twin.front_matter.greeting if is_greeting else ""
                return KnowledgeReply(_list(greeting or UNKNOWN, headings))

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


def split_pieces(text: str) -> Sequence[str]:
    """Split a text into words with their white space, to stream it."""
    return _WORD.findall(text)


def _list(sentence: str, headings: Sequence[str]) -> str:
    return "\n".join([f"{sentence}\n", *(f"- {heading}" for heading in headings)])
