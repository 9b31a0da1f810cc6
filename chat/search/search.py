"""Search in titles, messages and replies, newest first, in slices of a person's own texts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from sqlalchemy import Column, ColumnElement, Row, and_, false, select

from chat.conversations import Conversation, conversations_from_rows, select_conversations
from chat.log import Ended, read_ends
from chat.schema import conversations, turns
from chat.search.snippets import SearchPattern, Snippet
from core import text_folding
from core.db.database import Database
from core.threadpool import in_threadpool
from core.twin_groups import EVERY_TWIN, TwinAccess

# Titles and turns on a page. A turn may have two hits: its message and its reply.
MATCHES_PER_PAGE = 20
MAX_QUERY_LENGTH = 200
MAX_QUERY_WORDS = 12
# A slice takes a few milliseconds; between two slices, other requests continue.
SLICE_ROWS = 500
# After this time, a search ends with what it has found.
MAX_SECONDS = 2.0

_TITLE, _TURN = "t", "m"


@dataclass(frozen=True, slots=True)
class Hit:
    """Message or reply that matches the query."""

    turn_id: str
    position: int
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

    If `is_out_of_time`, the search has ended before it found a whole page; the next page goes on.
    """

    items: Sequence[ConversationHits] = ()
    next_cursor: str = ""
    is_out_of_time: bool = False


class _Match(NamedTuple):
    """A conversation whose title matches, or a turn whose message or reply matches."""

    section: str
    id: str
    in_title_or_message: bool
    in_reply: bool


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
        access: TwinAccess = EVERY_TWIN,
    ) -> SearchResults:
        """Find the texts that contain all words of `q`, the last one as a prefix.

        Titles come first. `after` is the `next_cursor` of the previous page; an invalid one starts
        from the beginning. Raises DatabaseUnavailable.
        """
        terms = _query_terms(q)
        if not terms:
            return SearchResults()
        is_searched = (conversations.c.person == person) & conversations.c.deleted_at.is_(None)
        is_searched &= access.condition(conversations.c.twin_id)
        if twin_id:
            is_searched &= conversations.c.twin_id == twin_id
        deadline = self.database.clock.monotonic() + MAX_SECONDS
        matches: list[_Match] = []
        next_cursor, is_out_of_time = "", False
        for section, last_id, ids in self._slices(is_searched, after):
            if self.database.clock.monotonic() > deadline:
                next_cursor, is_out_of_time = f"{section}{last_id}", True
                break
            matches += self._match(section, ids, terms)
            if len(matches) > MATCHES_PER_PAGE:
                matches = matches[:MATCHES_PER_PAGE]
                next_cursor = f"{matches[-1].section}{matches[-1].id}"
                break
            self.database.clock.sleep(0)  # let other greenlets run
        return SearchResults(self._load(matches, terms), next_cursor, is_out_of_time)

    def _slices(
        self, is_searched: ColumnElement[bool], after: str
    ) -> Iterator[tuple[str, str, list[str]]]:
        """Yield the section of each slice, the id before it, and its ids, newest first."""
        section, last_id = after[:1], after[1:]
        for name, table, query in (
            (_TITLE, conversations, select(conversations.c.id)),
            (_TURN, turns, select(turns.c.id).join(conversations)),
        ):
            if name == _TITLE and section == _TURN:
                continue
            newest_first = table.c.created_at.desc(), table.c.id.desc()
            with self.database.read() as connection:
                ids = list(connection.scalars(query.where(is_searched).order_by(*newest_first)))
            first = ids.index(last_id) + 1 if last_id in ids else 0
            for start in range(first, len(ids), SLICE_ROWS):
                yield name, ids[start - 1] if start else "", ids[start : start + SLICE_ROWS]

    def _match(self, section: str, ids: Sequence[str], terms: Sequence[str]) -> list[_Match]:
        """Return the matches among conversations or turns, in the order of their ids."""
        # The terms are compared in the result, not in a condition, which PostgreSQL would check
        # for other rows as well.
        if section == _TITLE:
            in_title = _contains(conversations.c.title_terms, terms)
            query = select(conversations.c.id, in_title, false())
            query = query.where(conversations.c.id.in_(ids))
        else:
            in_message = _contains(turns.c.message_terms, terms)
            in_reply = _contains(turns.c.reply_terms, terms)
            query = select(turns.c.id, in_message, in_reply).where(turns.c.id.in_(ids))
        with self.database.read() as connection:
            matches = {row[0]: _Match(section, *row) for row in connection.execute(query)}
        found = (match for id_ in ids if (match := matches.get(id_)))
        return [match for match in found if match.in_title_or_message or match.in_reply]

    def _load(self, matches: Sequence[_Match], terms: Sequence[str]) -> Sequence[ConversationHits]:
        """Return the hits by conversation. Conversations keep the order of their first matches."""
        turn_ids = [match.id for match in matches if match.section == _TURN]
        columns = turns.c["id", "conversation_id", "position", "content", "created_at"]
        with self.database.read() as connection:
            query = select(*columns).where(turns.c.id.in_(turn_ids))
            turn_rows = {row.id: row for row in connection.execute(query)}
            ids = {match.id for match in matches if match.section == _TITLE}
            ids.update(row.conversation_id for row in turn_rows.values())
            rows = connection.execute(select_conversations(conversations.c.id.in_(ids)))
            found = {
                conversation.id: conversation for conversation in conversations_from_rows(rows)
            }
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
        if row and match.in_reply:
            snippet = pattern.snippet(ends[row.id].text, is_markdown=True)
            hits.append(Hit(row.id, row.position, row.created_at, snippet))
        if row and match.in_title_or_message:
            snippet = pattern.snippet(row.content)
            hit = Hit(row.id, row.position, row.created_at, snippet, is_by_person=True)
            if row.content == conversation.title:
                hits.insert(0, replace(hit, is_in_title=True))
            else:
                hits.append(hit)
    return tuple(results.values())
