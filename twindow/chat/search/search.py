"""Search in titles, messages and replies, newest first, in slices of a person's own texts."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Row, Select, Table, and_, literal, select, tuple_

from twindow.chat.conversations import (
    Conversation,
    conversations_from_rows,
    permitted_by,
    select_conversations,
)
from twindow.chat.log import Ended, read_ends
from twindow.chat.schema import conversations, turns
from twindow.chat.search.snippets import SearchPattern, Snippet
from twindow.core import text_folding
from twindow.core.db.database import Database
from twindow.core.threadpool import in_threadpool
from twindow.core.twin_groups import EVERY_TWIN, TwinPermissions

# Titles and turns on a page. A turn may have two hits: its message and its reply.
MATCHES_PER_PAGE = 20
MAX_QUERY_LENGTH = 200
MAX_QUERY_WORDS = 12
# A slice takes a few milliseconds; between two slices, other requests continue.
SLICE_ROWS = 500
# After this time, a search stops and returns what it has found.
MAX_SECONDS = 2.0

# A cursor: the section of a row, its time, and its id.
_CURSOR = re.compile(r"([tm])(\d{1,12}(?:\.\d{1,20})?)~([\w-]{1,32})", re.ASCII)


@dataclass(frozen=True, slots=True)
class Hit:
    """Message or reply that matches the query."""

    turn_id: str
    created_at: float
    snippet: Snippet
    is_by_person: bool = False
    # Whether the title of the conversation is equal to this message.
    is_in_title: bool = False


@dataclass(frozen=True, slots=True)
class ConversationHits:
    """Conversation with its title split at the hits, and the hits in its turns."""

    conversation: Conversation
    title: Snippet
    hits: list[Hit] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class SearchResults:
    """Page of results. `next_cursor` is the cursor of the next page, "" on the last one.

    `is_out_of_time` is True if the search stopped before it found a whole page. The next page
    continues it.
    """

    items: Sequence[ConversationHits] = ()
    next_cursor: str = ""
    is_out_of_time: bool = False


class _Section(NamedTuple):
    """Rows with texts: `columns` have the terms of the texts, `keys` selects times and ids."""

    letter: str
    table: Table
    keys: Select[Any]
    columns: Sequence[Column[str]]


_TITLES = _Section(
    "t",
    conversations,
    select(*conversations.c["id", "created_at"]),
    [conversations.c.title_terms],
)
_TURNS = _Section(
    "m",
    turns,
    select(*turns.c["id", "created_at"]).join(conversations),
    [turns.c.message_terms, turns.c.reply_terms],
)


class _Match(NamedTuple):
    """A row that has been searched; `has_hits` tells for each of its texts whether it matches."""

    section: _Section
    id: str
    created_at: float
    has_hits: Sequence[bool]

    @property
    def cursor(self) -> str:
        return f"{self.section.letter}{self.created_at!r}~{self.id}"


class Search:
    """Search in the conversations of one person."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def find(
        self,
        person: str,
        q: str,
        *,
        twin_id: str | None = None,
        after: str = "",
        permissions: TwinPermissions = EVERY_TWIN,
    ) -> SearchResults:
        """Find the texts that contain all words of `q`, the last one as a prefix.

        Titles come first. `after` is the `next_cursor` of the previous page; an invalid one starts
        from the beginning. Raises DatabaseUnavailable.
        """
        terms = _query_terms(q)
        if not terms:
            return SearchResults()
        is_searched = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        is_searched &= permitted_by(permissions)
        if twin_id:
            is_searched &= conversations.c.twin_id == twin_id
        deadline = self.database.clock.monotonic() + MAX_SECONDS
        matches: list[_Match] = []
        next_cursor, is_out_of_time = "", False
        for searched in self._search_slices(is_searched, terms, after):
            matches += (match for match in searched if any(match.has_hits))
            if len(matches) > MATCHES_PER_PAGE:
                matches = matches[:MATCHES_PER_PAGE]
                next_cursor = matches[-1].cursor
                break
            if self.database.clock.monotonic() > deadline:
                next_cursor, is_out_of_time = searched[-1].cursor, True
                break
            self.database.clock.sleep(0)  # let other greenlets run
        return SearchResults(self._load(matches, terms), next_cursor, is_out_of_time)

    def _search_slices(
        self, is_searched: ColumnElement[bool], terms: Sequence[str], after: str
    ) -> Iterator[list[_Match]]:
        """Yield the searched rows of each slice: first titles, then turns, each newest first."""
        cursor = _CURSOR.fullmatch(after)
        is_in_turns = cursor is not None and cursor[1] == _TURNS.letter
        for section in [_TURNS] if is_in_turns else [_TITLES, _TURNS]:
            table = section.table
            newest_first = table.c.created_at.desc(), table.c.id.desc()
            query = section.keys.where(is_searched).order_by(*newest_first)
            if cursor and cursor[1] == section.letter:
                last = tuple_(literal(float(cursor[2])), literal(cursor[3]))
                query = query.where(tuple_(table.c.created_at, table.c.id) < last)
            with self.database.read() as connection:
                keys = connection.execute(query).all()
            # The texts are compared in the result, not in a condition, which PostgreSQL would
            # check for other rows as well.
            compared = select(table.c.id, *(_contains(text, terms) for text in section.columns))
            for start in range(0, len(keys), SLICE_ROWS):
                some_keys = keys[start : start + SLICE_ROWS]
                query = compared.where(table.c.id.in_([key.id for key in some_keys]))
                with self.database.read() as connection:
                    has_hits = {id_: flags for id_, *flags in connection.execute(query)}
                yield [
                    _Match(section, key.id, key.created_at, has_hits.get(key.id, ()))
                    for key in some_keys
                ]

    def _load(self, matches: Sequence[_Match], terms: Sequence[str]) -> Sequence[ConversationHits]:
        """Return the hits by conversation. Conversations keep the order of their first matches."""
        turn_ids = [match.id for match in matches if match.section is _TURNS]
        columns = turns.c["id", "conversation_id", "content", "created_at"]
        with self.database.read() as connection:
            query = select(*columns).where(turns.c.id.in_(turn_ids))
            turn_rows = {row.id: row for row in connection.execute(query)}
            ids = {match.id for match in matches if match.section is _TITLES}
            ids.update(row.conversation_id for row in turn_rows.values())
            rows = connection.execute(select_conversations(conversations.c.id.in_(ids)))
            found = {c.id: c for c in conversations_from_rows(rows)}
            ends = read_ends(connection, turn_ids)
        return in_threadpool(_group_hits)(matches, turn_rows, found, ends, SearchPattern(terms))


def query_pattern(q: str) -> SearchPattern | None:
    """Return the pattern that matches the words of `q`, or None if `q` has no words."""
    terms = _query_terms(q)
    return SearchPattern(terms) if terms else None


def _query_terms(q: str) -> list[str]:
    terms = (run[0] for run in text_folding.find_terms(text_folding.fold(q[:MAX_QUERY_LENGTH])))
    return list(dict.fromkeys(terms))[:MAX_QUERY_WORDS]


def _contains(column: Column[str], terms: Sequence[str]) -> ColumnElement[bool]:
    """Return the condition that a column of `text_folding.join_terms` has all terms."""
    return and_(*(column.like(_like_pattern(term, is_last=term is terms[-1])) for term in terms))


def _like_pattern(term: str, *, is_last: bool) -> str:
    # Terms contain neither blanks nor wildcards.
    if text_folding.is_unspaced(term):
        return f"%{term}%"
    is_prefix = is_last and len(term) > 1
    return f"% {term}%" if is_prefix else f"% {term} %"


def _group_hits(
    matches: Sequence[_Match],
    turn_rows: Mapping[str, Row[Any]],
    found: Mapping[str, Conversation],
    ends: Mapping[str, Ended],
    pattern: SearchPattern,
) -> Sequence[ConversationHits]:
    results: dict[str, ConversationHits] = {}
    for match in matches:
        row = turn_rows.get(match.id)
        conversation = found.get(row.conversation_id if row else match.id)
        if conversation is None:  # it has been purged meanwhile
            continue
        title = pattern.split_hits(conversation.title)
        hits = results.setdefault(conversation.id, ConversationHits(conversation, title)).hits
        if row is None:
            continue
        in_message, in_reply = match.has_hits
        if in_reply:
            snippet = pattern.snippet(ends[row.id].text, is_markdown=True)
            hits.append(Hit(row.id, row.created_at, snippet))
        if in_message:
            snippet = pattern.snippet(row.content)
            hit = Hit(row.id, row.created_at, snippet, is_by_person=True)
            if row.content == conversation.title:
                hits.insert(0, replace(hit, is_in_title=True))
            else:
                hits.append(hit)
    return tuple(results.values())
