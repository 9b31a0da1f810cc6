"""Search in titles, in what was said, and in replies: the newest first, found by an index."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, Row, Select, column, literal_column, select, table, text

from chat import search_index
from chat.conversations import Conversation
from chat.log import store
from chat.log.entries import Ended
from chat.schema import conversations, turns
from chat.schema import passages as rows
from chat.search.snippets import Pattern, Snippet
from chat.search_index import REPLY, SAID, TITLE
from core import text_folding
from core.database import Database

HITS_ON_A_PAGE = 20
LONGEST = 200
MOST_WORDS = 12

Group = Callable[[Sequence[Row[Any]], Mapping[str, Ended], Pattern], Sequence["Found"]]

_index = table("passages_index", column("rowid"))


@dataclass(frozen=True, slots=True)
class Hit:
    """A message or a reply that holds what was looked for."""

    turn_id: str
    position: int
    by_person: bool
    at: float
    snippet: Snippet
    # All that was said stands in the title, too.
    in_title: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A conversation, its title with the hits told apart, and where else it was found."""

    conversation: Conversation
    title: Snippet
    hits: list[Hit] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Results:
    """Some of what was found; `older` is the cursor of the rest, "" if there is none."""

    found: Sequence[Found] = ()
    older: str = ""


class Search:
    """Search what a person and their twins have said.

    `group` does what `grouped` does, to all texts that were found, perhaps in another thread.
    """

    def __init__(self, database: Database, group: Group | None = None) -> None:
        self.database = database
        self._group = group or grouped

    def find(self, person: str, q: str, *, twin_id: str | None = None, after: str = "") -> Results:
        """Find all words of `q` in one text, of the last one the beginning: titles come first."""
        runs = _runs(q)
        if not runs:
            return Results()
        kind, before = _cursor(after)
        hits: list[Row[Any]] = []
        with self.database.read() as connection:
            for title in (True, False) if kind == "t" else (False,):
                words = [search_index.owner(person, title=title), *runs]
                query = _query(connection, words).limit(HITS_ON_A_PAGE + 1 - len(hits))
                if before is not None:
                    query = query.where(rows.c.id < before)
                if twin_id:
                    query = query.where(conversations.c.twin_id == twin_id)
                hits += connection.execute(query).all()
                before = None
            shown = hits[:HITS_ON_A_PAGE]
            ends = store.ends(connection, [hit.turn_id for hit in shown if hit.kind == REPLY])
        older = _cursor_of(shown[-1]) if len(hits) > len(shown) else ""
        return Results(self._group(shown, ends, Pattern(runs)), older)


def pattern(q: str) -> Pattern | None:
    """Return what finds the words of `q` in a text; None if there are none."""
    runs = _runs(q)
    return Pattern(runs) if runs else None


def _runs(q: str) -> list[str]:
    found = (run[0] for run in text_folding.runs(text_folding.fold(q[:LONGEST])))
    return list(dict.fromkeys(found))[:MOST_WORDS]


def _cursor(after: str) -> tuple[str, int | None]:
    """Read where to go on: among the titles or behind them, and before which row."""
    known = re.fullmatch(r"([tm])([0-9]{1,9})", after)
    return (known[1], int(known[2])) if known else ("t", None)


def _cursor_of(row: Row[Any]) -> str:
    return f"{'t' if row.kind == TITLE else 'm'}{row.passage}"


def _query(connection: Connection, words: Sequence[str]) -> Select[Any]:
    """Select passages that hold the owner's word and what was looked for, the newest first."""
    query = select(
        rows.c.id.label("passage"),
        *rows.c["kind", "turn_id"],
        *turns.c["position", "content"],
        turns.c.created_at.label("said_at"),
        *conversations.c,
    ).where(conversations.c.deleted_at.is_(None))
    source = rows.join(conversations).outerjoin(turns, turns.c.id == rows.c.turn_id)
    if connection.dialect.name == "sqlite":
        source = _index.join(rows, rows.c.id == _index.c.rowid).join(
            conversations, conversations.c.id == rows.c.conversation_id
        )
        source = source.outerjoin(turns, turns.c.id == rows.c.turn_id)
        matches = literal_column("passages_index").op("MATCH")(_asked(words, '"', "*", " "))
        return query.select_from(source).where(matches).order_by(_index.c.rowid.desc())
    holds = text("passages.words @@ CAST(:asked AS tsquery)")
    holds = holds.bindparams(asked=_asked(words, "'", ":*", " & "))
    return query.select_from(source).where(holds).order_by(rows.c.id.desc())


def _asked(words: Sequence[str], quote: str, goes_on: str, and_: str) -> str:
    """Write a query: words hold neither quotes nor operators."""
    owner, *runs = words
    parts = [f"{quote}{owner}{quote}"]
    for run in runs:
        last = run is runs[-1] and len(run) > 1 and not text_folding.is_dense(run)
        ending = goes_on if last else ""
        parts += [f"{quote}{word}{quote}{ending}" for word in text_folding.asked(run)]
    return and_.join(parts)


def grouped(
    shown: Sequence[Row[Any]], ends: Mapping[str, Ended], pattern: Pattern
) -> Sequence[Found]:
    """Put the hits to their conversations, in the order in which those were found first."""
    found: dict[str, Found] = {}
    seen: set[tuple[str, str]] = set()
    for row in shown:
        known = {name: row._mapping[name] for name in Conversation.__dataclass_fields__}
        conversation = Conversation(**known)
        group = found.setdefault(
            conversation.id, Found(conversation, pattern.whole(conversation.title))
        )
        # A long text has several rows.
        place = row.turn_id, row.kind
        if row.kind == TITLE or place in seen:
            continue
        seen.add(place)
        if row.kind == SAID:
            snippet = pattern.around(row.content)
        else:
            snippet = pattern.around(ends[row.turn_id].text, markdown=True)
        in_title = row.kind == SAID and row.content == conversation.title
        hit = Hit(row.turn_id, row.position, row.kind == SAID, row.said_at, snippet, in_title)
        group.hits.insert(0 if in_title else len(group.hits), hit)
    return tuple(found.values())
