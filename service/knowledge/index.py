"""The index of all passages: one SQLite file, derived from the knowledge folders of the twins."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from string import ascii_lowercase

import msgspec

from core.text_files import NotUtf8, decode_text
from service import file_stamp
from service.knowledge.passages import Passage, split_into_passages
from service.knowledge.terms import content_terms, whole_question
from service.twins import Twin

logger = logging.getLogger(__name__)

MAX_KNOWLEDGE_BYTES = 64 * 1024**2
SUFFIXES = (".md", ".txt")
# Passages that a search compares with the question.
MAX_CANDIDATES = 30
# How much more a term counts in a heading, and in a question that is also asked.
HEADING_WEIGHT, QUESTION_WEIGHT, TEXT_WEIGHT = 4, 3, 1
MIN_CORRECTED_LENGTH = 5
# Another process may be building the index.
LOCK_TIMEOUT_SECONDS = 60.0
# Increase this number if passages or terms are computed differently: the index is built again.
INDEX_VERSION = 5

SCHEMA = """
CREATE TABLE files (
  twin TEXT, path TEXT, stamp TEXT, problem TEXT, PRIMARY KEY (twin, path)
) WITHOUT ROWID;
CREATE TABLE passages (
  id INTEGER PRIMARY KEY, twin TEXT, path TEXT, headings TEXT, text TEXT, questions TEXT
);
CREATE INDEX passages_of_file ON passages (twin, path);
CREATE VIRTUAL TABLE passage_terms USING fts5 (
  headings, questions, text, tokenize = "unicode61 remove_diacritics 0 tokenchars '+#'"
);
CREATE TABLE term_counts (
  twin TEXT, term TEXT, passages INTEGER, PRIMARY KEY (twin, term)
) WITHOUT ROWID;
"""


class Source(msgspec.Struct, frozen=True):
    """A passage that a reply quotes, cites or offers, as in the interface."""

    file: str
    heading: str
    passage: str


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage, its file in the knowledge folder, and the terms of all its text.

    Passages of one file have ascending ids.
    """

    id: int
    file: str
    passage: Passage
    terms: frozenset[str]

    @property
    def source(self) -> Source:
        """The passage, as a source of a reply."""
        return Source(self.file, self.passage.heading, self.passage.text)


class KnowledgeIndex:
    """Passages of all twins, found by terms. Each process opens the file for each call."""

    def __init__(self, file: Path, twins_folder: Path) -> None:
        self.file = file
        self._twins_folder = twins_folder

    def update(self, twins: Sequence[Twin]) -> None:
        """Index the files that have changed; build the index if it is missing or damaged."""
        try:
            self._update(twins)
        except sqlite3.OperationalError:  # for example a full disk
            raise
        except sqlite3.DatabaseError:
            self.file.unlink(missing_ok=True)
            self._update(twins)

    def _update(self, twins: Sequence[Twin]) -> None:
        with self._open() as connection, connection:
            connection.execute("BEGIN IMMEDIATE")
            twins_by_id = {twin.id: twin for twin in twins if self.folder_of(twin).is_dir()}
            rows = connection.execute("SELECT twin, path, stamp, problem FROM files").fetchall()
            indexed = {(twin_id, path): stamp for twin_id, path, stamp, _ in rows}
            unused = {(twin_id, path) for twin_id, path, _, problem in rows if problem}
            stamps = {
                (twin.id, file): stamp
                for twin in twins_by_id.values()
                for file, stamp in self._list_files(twin)
            }
            new = {key for key, stamp in stamps.items() if indexed.get(key) != stamp}
            changed = {twin_id for twin_id, _ in new | (indexed.keys() - stamps.keys())}
            # A file that exceeded the limit may fit now.
            new |= {key for key in unused & stamps.keys() if key[0] in changed}
            for key in new | (indexed.keys() - stamps.keys()):
                _remove(connection, key)
            for twin_id in changed:
                files = {key: stamps[key] for key in sorted(new) if key[0] == twin_id}
                if files:
                    self._add_files(connection, twins_by_id[twin_id], files)
                _count_terms(connection, twin_id)

    def folder_of(self, twin: Twin) -> Path:
        """Return the knowledge folder of a twin, which may not exist."""
        return self._twins_folder / twin.id

    def problems(self, twin: Twin) -> Sequence[str]:
        """Return a sentence about each file that could not be indexed, or about their absence."""
        query = "SELECT path, problem FROM files WHERE twin = ? ORDER BY path"
        with self._open() as connection:
            rows = connection.execute(query, (twin.id,)).fetchall()
        if not rows:
            return [f"{twin.id}/ contains no files that end in {' or '.join(SUFFIXES)}."]
        return [f"{twin.id}/{path} {problem}." for path, problem in rows if problem]

    def find(self, twin: Twin, terms: Sequence[str]) -> Sequence[FoundPassage]:
        """Return the passages that have most of these terms, the best first (BM25)."""
        if not terms:
            return []
        match = " OR ".join(f'"{term}"' for term in dict.fromkeys(terms))
        ids = """
            SELECT passages.id AS id, bm25(passage_terms, ?, ?, ?) AS rank
            FROM passage_terms JOIN passages ON passages.id = passage_terms.rowid
            WHERE passage_terms MATCH ? AND twin = ? ORDER BY rank, id LIMIT ?
        """
        weights = HEADING_WEIGHT, QUESTION_WEIGHT, TEXT_WEIGHT
        return self._read_passages(ids, (*weights, match, twin.id, MAX_CANDIDATES))

    def count(self, twin: Twin, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """Return how many passages a twin has, and how many of them have each term."""
        with self._open() as connection:
            [total] = connection.execute(
                "SELECT count(*) FROM passages WHERE twin = ?", (twin.id,)
            ).fetchone()
            return total, _read_counts(connection, twin, terms)

    def correct_spelling(self, twin: Twin, terms: Set[str]) -> frozenset[str]:
        """Return the terms; for one in no passage, a term that differs by a letter or two swapped.

        Short terms differ by a letter from many others, so they stay.
        """
        corrected = set[str]()
        with self._open() as connection:
            counts = _read_counts(connection, twin, list(terms))
            for term in terms:
                is_corrected = term not in counts and len(term) >= MIN_CORRECTED_LENGTH
                others = _read_counts(connection, twin, list(_edits(term))) if is_corrected else {}
                corrected.add(max(sorted(others), key=others.__getitem__, default=term))
        return frozenset(corrected)

    def headings(self, twin: Twin) -> Set[str]:
        """Return all headings in a twin's files."""
        query = "SELECT DISTINCT headings FROM passages WHERE twin = ?"
        with self._open() as connection:
            rows = connection.execute(query, (twin.id,)).fetchall()
        return {heading for (path,) in rows for heading in msgspec.json.decode(path)}

    def first_passages(self, twin: Twin) -> Sequence[FoundPassage]:
        """Return the first passages of a twin's files."""
        ids = "SELECT id, id AS rank FROM passages WHERE twin = ? ORDER BY path, id LIMIT ?"
        return self._read_passages(ids, (twin.id, MAX_CANDIDATES))

    def _read_passages(self, ids: str, parameters: Sequence[object]) -> Sequence[FoundPassage]:
        """Return the passages that a query selects by `id`, in the order of `rank`.

        One statement reads everything: after an update, an id may belong to another twin.
        """
        query = f"""
            SELECT found.id, path, passages.headings, passages.text, passages.questions,
              passage_terms.headings || ' ' || passage_terms.questions || ' ' || passage_terms.text
            FROM ({ids}) AS found JOIN passages ON passages.id = found.id
            JOIN passage_terms ON passage_terms.rowid = found.id
            ORDER BY found.rank, found.id
        """  # noqa: S608
        with self._open() as connection:
            rows = connection.execute(query, parameters).fetchall()
        decode = msgspec.json.decode
        return [
            FoundPassage(
                id_,
                path,
                Passage(tuple(decode(headings)), text, tuple(decode(questions))),
                frozenset(terms.split()),
            )
            for id_, path, headings, text, questions, terms in rows
        ]

    def _list_files(self, twin: Twin) -> Iterator[tuple[str, str]]:
        """Yield the files of a twin, by name, and what changes with the terms of each."""
        folder = self.folder_of(twin)
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder)
            if path.suffix.lower() not in SUFFIXES or any(
                part.startswith(".") for part in name.parts
            ):
                continue
            # A name that is not UTF-8 cannot be stored.
            file = os.fsencode(name.as_posix()).decode(errors="replace")
            yield file, f"{twin.language} {file_stamp.stamp(path)}"

    def _add_files(
        self, connection: sqlite3.Connection, twin: Twin, stamps: Mapping[tuple[str, str], str]
    ) -> None:
        """Index new and changed files of a twin."""
        [used] = connection.execute(
            "SELECT coalesce(sum(length(text)), 0) FROM passages WHERE twin = ?", (twin.id,)
        ).fetchone()
        for (_, file), stamp in stamps.items():
            used += self._add(connection, twin, file, stamp, MAX_KNOWLEDGE_BYTES - used)

    def _add(
        self, connection: sqlite3.Connection, twin: Twin, file: str, stamp: str, max_bytes: int
    ) -> int:
        """Index a file, and return the length of its passages."""
        problem = ""
        passages: Sequence[Passage] = ()
        try:
            passages = self._read_file(twin, file, max_bytes)
        except file_stamp.UnreadableFile as error:
            problem = str(error)
            logger.warning("Knowledge not used: %s/%s %s.", twin.id, file, problem)
        connection.execute("INSERT INTO files VALUES (?, ?, ?, ?)", (twin.id, file, stamp, problem))
        for passage in passages:
            headings, questions = map(msgspec.json.encode, (passage.headings, passage.questions))
            row = twin.id, file, headings.decode(), passage.text, questions.decode()
            rowid = connection.execute(
                "INSERT INTO passages (twin, path, headings, text, questions) "
                "VALUES (?, ?, ?, ?, ?)",
                row,
            ).lastrowid
            language = twin.language
            columns = (" ".join(passage.headings), " ".join(passage.questions), passage.text)
            terms = [" ".join(content_terms(column, language)) for column in columns]
            terms[1] += "".join(f" {whole_question(each)}" for each in passage.questions)
            connection.execute(
                "INSERT INTO passage_terms (rowid, headings, questions, text) VALUES (?, ?, ?, ?)",
                (rowid, *terms),
            )
        return sum(len(passage.text) for passage in passages)

    def _read_file(self, twin: Twin, file: str, max_bytes: int) -> Sequence[Passage]:
        """Read a file. Raises UnreadableFile."""
        if "\N{REPLACEMENT CHARACTER}" in file:
            raise file_stamp.UnreadableFile("has a name that is not valid UTF-8")
        path = file_stamp.resolve_inside(self.folder_of(twin), file)
        data = file_stamp.read_file(path, max_bytes=MAX_KNOWLEDGE_BYTES)
        if len(data) > max_bytes:
            limit = MAX_KNOWLEDGE_BYTES // 1024**2
            raise file_stamp.UnreadableFile(f"exceeds the {limit} MiB of all files of a twin")
        try:
            text = decode_text(data)
        except NotUtf8 as error:
            raise file_stamp.UnreadableFile(f"is not valid UTF-8 in line {error.line}") from None
        if "\0" in text:
            raise file_stamp.UnreadableFile("is not a text file")
        return split_into_passages(text, Path(file).stem)

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self.file, timeout=LOCK_TIMEOUT_SECONDS)) as connection:
            _create_tables(connection)
            yield connection


def _read_counts(
    connection: sqlite3.Connection, twin: Twin, terms: Sequence[str]
) -> dict[str, int]:
    """Return how many passages of a twin have each term; terms without one are missing."""
    places = ", ".join("?" * len(terms))
    query = f"SELECT term, passages FROM term_counts WHERE twin = ? AND term IN ({places})"  # noqa: S608
    return dict(connection.execute(query, (twin.id, *terms)).fetchall())


def _edits(term: str) -> Iterator[str]:
    """Yield the terms that differ from a term by one letter, or by two neighbours swapped.

    The last letter stays: "salti" is the stem of "salty", and not a misspelled "salt".
    """
    for index in range(len(term) - 1):
        before, after = term[:index], term[index:]
        yield before + after[1:]
        yield before + after[1:2] + after[:1] + after[2:]
        for letter in ascii_lowercase:
            yield before + letter + after
            yield before + letter + after[1:]


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
        for table in ("files", "passages", "passage_terms", "term_counts"):
            connection.execute(f"DROP TABLE IF EXISTS {table}")
        for statement in SCHEMA.split(";\n"):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {INDEX_VERSION}")


def _remove(connection: sqlite3.Connection, key: tuple[str, str]) -> None:
    """Remove a file and its passages."""
    ids = "SELECT id FROM passages WHERE twin = ? AND path = ?"
    connection.execute(f"DELETE FROM passage_terms WHERE rowid IN ({ids})", key)  # noqa: S608
    connection.execute("DELETE FROM passages WHERE twin = ? AND path = ?", key)
    connection.execute("DELETE FROM files WHERE twin = ? AND path = ?", key)


def _count_terms(connection: sqlite3.Connection, twin_id: str) -> None:
    """Count in how many passages of a twin each term occurs."""
    counts: dict[str, int] = {}
    rows = connection.execute(
        "SELECT passage_terms.headings, passage_terms.questions, passage_terms.text "
        "FROM passage_terms JOIN passages ON passages.id = passage_terms.rowid WHERE twin = ?",
        (twin_id,),
    )
    for columns in rows:
        for term in set(" ".join(columns).split()):
            counts[term] = counts.get(term, 0) + 1
    connection.execute("DELETE FROM term_counts WHERE twin = ?", (twin_id,))
    connection.executemany(
        "INSERT INTO term_counts VALUES (?, ?, ?)",
        [(twin_id, term, count) for term, count in counts.items()],
    )
