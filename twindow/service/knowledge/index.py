"""The index of all passages: one SQLite file, derived from the knowledge folders of the twins."""

from __future__ import annotations

import hashlib
import logging
import os
import sqlite3
from collections.abc import Iterator, Sequence, Set
from contextlib import closing, contextmanager
from pathlib import Path
from typing import NamedTuple

import msgspec

from twindow.core.markdown_tree import NestedTooDeeply
from twindow.core.panics import ParserPanicked
from twindow.core.text_files import NotUtf8, decode_text
from twindow.service import file_stamp
from twindow.service.knowledge.passages import Passage, split_into_passages
from twindow.service.knowledge.terms import question_terms, stems, whole_question
from twindow.service.twins import Twin

logger = logging.getLogger(__name__)

MAX_KNOWLEDGE_BYTES = 64 * 1024**2
SUFFIXES = (".md", ".txt")
# Passages that a search returns, and the first terms of a question that it uses.
MAX_FOUND = 30
MAX_TERMS = 64
# A rare word is in at most this many passages of its twin, or this share of them.
RARE_COUNT, RARE_SHARE = 5, 1 / 3
# A passage that may answer a question shares so many of its rare words, and this share of them.
MIN_SHARED_COUNT, MIN_SHARED_SHARE = 2, 1 / 4
# How much a term counts in the name of the twin, headings, questions also asked, and text.
WEIGHTS = (0, 4, 3, 1)
# Another process may be building the index.
LOCK_TIMEOUT_SECONDS = 60.0
# Increase this number if passages or terms are computed differently: the index is built again.
INDEX_VERSION = 7

# The terms of the first four columns are searched. `twin` has the id of the twin as one term.
SCHEMA = """
CREATE TABLE twins (id TEXT PRIMARY KEY, stamp TEXT, passages INTEGER);
CREATE VIRTUAL TABLE passages USING fts5 (
  twin, heading_terms, question_terms, text_terms,
  file UNINDEXED, heading UNINDEXED, text UNINDEXED,
  tokenize = "unicode61 remove_diacritics 0 tokenchars '+#'"
);
"""


class Source(msgspec.Struct, frozen=True):
    """A passage that a reply quotes, cites or offers, as in the interface."""

    file: str
    heading: str
    passage: str


class Found(NamedTuple):
    """A passage, and whether it shares enough rare words with the question to answer it."""

    source: Source
    may_answer: bool


class KnowledgeIndex:
    """Passages of all twins, found by terms. Each process opens the file for each call."""

    def __init__(self, file: Path, twins_folder: Path) -> None:
        self.file = file
        self._twins_folder = twins_folder

    def update(self, twins: Sequence[Twin]) -> None:
        """Index the twins whose files have changed; build a missing or damaged index again."""
        try:
            self._update(twins)
        except sqlite3.OperationalError as error:
            if not str(error).startswith("no such table"):  # for example a full disk
                raise
            self.delete()
            self._update(twins)
        except sqlite3.DatabaseError:
            self.delete()
            self._update(twins)

    def delete(self) -> None:
        """Delete the index, which is derived data."""
        for suffix in ("", "-wal", "-shm"):
            self.file.with_name(self.file.name + suffix).unlink(missing_ok=True)

    def _update(self, twins: Sequence[Twin]) -> None:
        with self._open() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            indexed = dict(connection.execute("SELECT id, stamp FROM twins"))
            known = {twin.id: twin for twin in twins if self.folder_of(twin).is_dir()}
            stamps = {id_: self._stamp(twin) for id_, twin in known.items()}
            for twin_id in indexed.keys() | stamps.keys():
                if indexed.get(twin_id) == stamps.get(twin_id):
                    continue
                _remove(connection, twin_id)
                if twin_id in known:
                    self._add(connection, known[twin_id], stamps[twin_id])

    def folder_of(self, twin: Twin) -> Path:
        """Return the knowledge folder of a twin, which may not exist."""
        return self._twins_folder / twin.id

    def problems(self, twin: Twin) -> Iterator[str]:
        """Yield a sentence about each file that cannot be read, or about their absence."""
        if not self._list_files(twin):
            yield f"{twin.id}/ contains no files that end in {' or '.join(SUFFIXES)}."
        for file, content in self._read_files(twin):
            if isinstance(content, str):
                yield f"{twin.id}/{file} {content}."

    def find_question(self, twin: Twin, question: str) -> Sequence[Source]:
        """Return the passages of the sections that list a question, word for word."""
        match = f'{_owned_by(twin.id)} AND question_terms : "{whole_question(question)}"'
        with self._open() as connection:
            return [source for source, _ in _select(connection, match, "rowid")]

    def search(self, twin: Twin, question: str) -> Sequence[Found]:
        """Return the passages that have rare words of the question, the best first (BM25)."""
        terms = question_terms(question, twin.language)[:MAX_TERMS]
        owned = _owned_by(twin.id)
        with self._open() as connection:
            query = "SELECT passages FROM twins WHERE id = ?"
            [total] = connection.execute(query, (twin.id,)).fetchone() or [0]
            counts = {term: _count(connection, f'{owned} AND "{term}"') for term in terms}
            limit = max(RARE_COUNT, total * RARE_SHARE)
            rare = {term for term, count in counts.items() if count <= limit}
            if not rare:
                return []
            match = " OR ".join(f'"{term}"' for term in sorted(rare))
            needed = max(min(MIN_SHARED_COUNT, len(rare)), MIN_SHARED_SHARE * len(rare))
            return [
                Found(source, len(rare & terms) >= needed)
                for source, terms in _select(connection, f"{owned} AND ({match})", "score")
            ]

    def first_passages(self, twin: Twin) -> Sequence[Source]:
        """Return the first passages of a twin's files."""
        with self._open() as connection:
            return [source for source, _ in _select(connection, _owned_by(twin.id), "rowid")]

    def _stamp(self, twin: Twin) -> str:
        """Return a digest that changes with the files of a twin, and with its language."""
        folder = self.folder_of(twin)
        stamps = [(file, file_stamp.stamp(folder / file)) for file in self._list_files(twin)]
        return hashlib.sha256(repr((twin.language, stamps)).encode()).hexdigest()

    def _list_files(self, twin: Twin) -> Sequence[str]:
        """Return the paths of the files of a twin in its folder, sorted."""
        folder = self.folder_of(twin)
        names = (path.relative_to(folder) for path in sorted(folder.rglob("*")))
        return [
            name.as_posix()
            for name in names
            if name.suffix.lower() in SUFFIXES
            and not any(part.startswith(".") for part in name.parts)
        ]

    def _add(self, connection: sqlite3.Connection, twin: Twin, stamp: str) -> None:
        count = 0
        for file, content in self._read_files(twin):
            if isinstance(content, str):
                logger.warning("Knowledge not used: %s/%s %s.", twin.id, file, content)
                continue
            for passage in content:
                _insert(connection, twin, file, passage)
            count += len(content)
        connection.execute("INSERT INTO twins VALUES (?, ?, ?)", (twin.id, stamp, count))

    def _read_files(self, twin: Twin) -> Iterator[tuple[str, Sequence[Passage] | str]]:
        """Yield the name of each file with its passages, or with the reason why it is not used."""
        rest = MAX_KNOWLEDGE_BYTES
        for file in self._list_files(twin):
            # A name that is not UTF-8 cannot be stored.
            name = os.fsencode(file).decode(errors="replace")
            try:
                passages = _read_passages(self.folder_of(twin), file, rest)
            except file_stamp.UnreadableFile as error:
                yield name, str(error)
            else:
                rest -= sum(len(passage.text) for passage in passages)
                yield name, passages

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file, timeout=LOCK_TIMEOUT_SECONDS)) as connection:
            _create_tables(connection)
            yield connection


def _read_passages(folder: Path, file: str, max_bytes: int) -> Sequence[Passage]:
    """Read the passages of a file. Raises UnreadableFile."""
    path = file_stamp.resolve_inside(folder, file)
    data = file_stamp.read_file(path, max_bytes=MAX_KNOWLEDGE_BYTES)
    if len(data) > max_bytes:
        limit = MAX_KNOWLEDGE_BYTES // 1024**2
        raise file_stamp.UnreadableFile(f"exceeds the {limit} MiB of all files of a twin")
    try:
        text = decode_text(data)
        if "\0" in text:
            raise file_stamp.UnreadableFile("is not a text file")
        return split_into_passages(text, Path(file).stem)
    except NotUtf8 as error:
        raise file_stamp.UnreadableFile(f"is not valid UTF-8 in line {error.line}") from None
    except NestedTooDeeply:
        raise file_stamp.UnreadableFile("is nested too deeply") from None
    except ParserPanicked:
        raise file_stamp.UnreadableFile("cannot be parsed") from None


def _select(
    connection: sqlite3.Connection, match: str, order: str
) -> Iterator[tuple[Source, Set[str]]]:
    """Yield the first passages that match, each with its terms."""
    query = f"""
        SELECT file, heading, text, heading_terms || ' ' || question_terms || ' ' || text_terms,
          bm25(passages, {", ".join(map(str, WEIGHTS))}) AS score
        FROM passages WHERE passages MATCH ? ORDER BY {order}, rowid LIMIT {MAX_FOUND}
    """  # noqa: S608
    for file, heading, text, terms, _ in connection.execute(query, (match,)):
        yield Source(file, heading, text), set(terms.split())


def _count(connection: sqlite3.Connection, match: str) -> int:
    query = "SELECT count(*) FROM passages WHERE passages MATCH ?"
    [count] = connection.execute(query, (match,)).fetchone()
    return int(count)


def _owned_by(twin_id: str) -> str:
    return f'twin : "{twin_id.encode().hex()}"'


def _insert(connection: sqlite3.Connection, twin: Twin, file: str, passage: Passage) -> None:
    texts = " ".join(passage.headings), " ".join(passage.questions), passage.text
    headings, questions, text = (" ".join(stems(each, twin.language)) for each in texts)
    whole_questions = " ".join(map(whole_question, (passage.heading, *passage.questions)))
    terms = twin.id.encode().hex(), headings, f"{questions} {whole_questions}", text
    row = *terms, file, passage.heading, passage.text
    connection.execute("INSERT INTO passages VALUES (?, ?, ?, ?, ?, ?, ?)", row)


def _remove(connection: sqlite3.Connection, twin_id: str) -> None:
    ids = "SELECT rowid FROM passages WHERE passages MATCH ?"
    connection.execute(f"DELETE FROM passages WHERE rowid IN ({ids})", (_owned_by(twin_id),))  # noqa: S608
    connection.execute("DELETE FROM twins WHERE id = ?", (twin_id,))


def _create_tables(connection: sqlite3.Connection) -> None:
    [version] = connection.execute("PRAGMA user_version").fetchone()
    if version == INDEX_VERSION:
        return
    connection.execute("PRAGMA auto_vacuum = FULL")  # no text of a deleted file stays
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        [version] = connection.execute("PRAGMA user_version").fetchone()
        if version == INDEX_VERSION:
            return
        for table in ("twins", "passages"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in SCHEMA.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {INDEX_VERSION}")
