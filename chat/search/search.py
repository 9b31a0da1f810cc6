"""Full-text search in titles, messages and replies, newest first, through the search index."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Select, column, literal_column, select, table, text

from chat import search_index
from chat.conversations import Conversation
from chat.log import Ended, read_ends
from chat.schema import conversations, turns
from chat.schema import search_documents as rows
from chat.search.snippets import SearchPattern, Snippet
from chat.search_index import MESSAGE, REPLY, TITLE
from core import text_folding
from core.db.database import Database, DatabaseUnavailable
from core.threadpool import in_threadpool
from core.twin_groups import EVERY_TWIN, TwinAccess

HITS_PER_PAGE = 20
MAX_QUERY_LENGTH = 200
MAX_QUERY_WORDS = 12
# Limit of searches per process, so that slow ones leave connections for other requests.
MAX_CONCURRENT_SEARCHES = 5

_index = table("search_documents_fts", column("rowid"))


@dataclass(frozen=True, slots=True)
class Hit:
    """Message or reply that matches the query."""

    turn_id: str
    position: int
    is_by_person: bool
    created_at: float
    snippet: Snippet
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
    """Page of results. `next_cursor` is the cursor of the next page, "" on the last one."""

    items: Sequence[ConversationHits] = ()
    next_cursor: str = ""


class Search:
    """Search in the conversations of one person."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._slots = threading.BoundedSemaphore(MAX_CONCURRENT_SEARCHES)

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

        Titles come first. `after` is the `next_cursor` of the previous page. Raises
        DatabaseUnavailable, also if too many other searches are running.
        """
        terms = _query_terms(q)
        if not terms:
            return SearchResults()
        section, before_id = _parse_cursor(after)
        hit_rows: list[Row[Any]] = []
        with self._wait_for_slot(), self.database.read() as connection:
            for is_title in (True, False) if section == "t" else (False,):
                words = [search_index.owner_token(person, is_title=is_title), *terms]
                query = _select_hits(connection, words).limit(HITS_PER_PAGE + 1 - len(hit_rows))
                query = query.where(access.condition(conversations.c.twin_id))
                if before_id is not None:
                    query = query.where(rows.c.id < before_id)
                if twin_id:
                    query = query.where(conversations.c.twin_id == twin_id)
                hit_rows += connection.execute(query).all()
                before_id = None
            page_rows = hit_rows[:HITS_PER_PAGE]
            ends = read_ends(connection, [hit.turn_id for hit in page_rows if hit.kind == REPLY])
        next_cursor = _make_cursor(page_rows[-1]) if len(hit_rows) > len(page_rows) else ""
        return SearchResults(
            in_threadpool(_group_hits)(page_rows, ends, SearchPattern(terms)), next_cursor
        )

    @contextmanager
    def _wait_for_slot(self) -> Iterator[None]:
        if not self._slots.acquire(timeout=self.database.lock_timeout):
            raise DatabaseUnavailable
        try:
            yield
        finally:
            self._slots.release()


def query_pattern(q: str) -> SearchPattern | None:
    """Return the pattern that matches the words of `q`, or None if `q` has no words."""
    terms = _query_terms(q)
    return SearchPattern(terms) if terms else None


def _query_terms(q: str) -> list[str]:
    terms = (run[0] for run in text_folding.find_terms(text_folding.fold(q[:MAX_QUERY_LENGTH])))
    return list(dict.fromkeys(terms))[:MAX_QUERY_WORDS]


def _parse_cursor(after: str) -> tuple[str, int | None]:
    """Return where the previous page ended: at a title ("t") or another text ("m"), and its row id.

    The rows of the next page have smaller ids. An invalid cursor starts from the beginning.
    """
    match = re.fullmatch(r"([tm])([0-9]{1,9})", after)
    return (match[1], int(match[2])) if match else ("t", None)


def _make_cursor(row: Row[Any]) -> str:
    return f"{'t' if row.kind == TITLE else 'm'}{row.row_id}"


def _select_hits(connection: Connection, words: Sequence[str]) -> Select[Any]:
    """Select the index rows that contain all words, newest first.

    `words` begins with the `owner_token` of the person.
    """
    query = select(
        rows.c.id.label("row_id"),
        *rows.c["kind", "turn_id"],
        *turns.c["position", "content"],
        turns.c.created_at.label("turn_created_at"),
        *conversations.c,
    ).where(conversations.c.deleted_at.is_(None))
    source = rows.join(conversations).outerjoin(turns, turns.c.id == rows.c.turn_id)
    if connection.dialect.name == "sqlite":
        source = _index.join(rows, rows.c.id == _index.c.rowid).join(
            conversations, conversations.c.id == rows.c.conversation_id
        )
        source = source.outerjoin(turns, turns.c.id == rows.c.turn_id)
        match_condition = literal_column("search_documents_fts").op("MATCH")(
            _match_expression(words, '"', "*", " ")
        )
        return query.select_from(source).where(match_condition).order_by(_index.c.rowid.desc())
    condition = text("search_documents.words @@ CAST(:query AS tsquery)")
    condition = condition.bindparams(query=_match_expression(words, "'", ":*", " & "))
    return query.select_from(source).where(condition).order_by(rows.c.id.desc())


def _match_expression(
    words: Sequence[str], quote: str, prefix_operator: str, and_operator: str
) -> str:
    """Build the full-text query of the database.

    Words need no escaping: they contain neither quotes nor operators.
    """
    owner, *terms = words
    parts = [f"{quote}{owner}{quote}"]
    for term in terms:
        is_prefix = term is terms[-1] and len(term) > 1 and not text_folding.is_unspaced(term)
        suffix = prefix_operator if is_prefix else ""
        parts += [f"{quote}{word}{quote}{suffix}" for word in text_folding.query_words(term)]
    return and_operator.join(parts)


def _group_hits(
    hit_rows: Sequence[Row[Any]], ends: Mapping[str, Ended], pattern: SearchPattern
) -> Sequence[ConversationHits]:
    """Group the rows by conversation. Conversations keep the order of their first rows."""
    results: dict[str, ConversationHits] = {}
    seen_texts: set[tuple[str, str]] = set()
    for row in hit_rows:
        values = {name: row._mapping[name] for name in Conversation.__dataclass_fields__}
        conversation = Conversation(**values)
        result = results.setdefault(
            conversation.id, ConversationHits(conversation, pattern.split_hits(conversation.title))
        )
        # A long text has several index rows.
        text_key = row.turn_id, row.kind
        if row.kind == TITLE or text_key in seen_texts:
            continue
        seen_texts.add(text_key)
        if row.kind == MESSAGE:
            snippet = pattern.snippet(row.content)
        else:
            snippet = pattern.snippet(ends[row.turn_id].text, is_markdown=True)
        in_title = row.kind == MESSAGE and row.content == conversation.title
        hit = Hit(
            row.turn_id, row.position, row.kind == MESSAGE, row.turn_created_at, snippet, in_title
        )
        result.hits.insert(0 if in_title else len(result.hits), hit)
    return tuple(results.values())
