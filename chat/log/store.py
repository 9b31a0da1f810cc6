"""The logs in the database: one row an entry, and one for all when the turn has ended."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, and_, delete, insert, or_, select, update

from chat import search_index
from chat.log import entries as log_entries
from chat.log.entries import Batch, Ended, Entry
from chat.schema import entries, producers, turns
from core.database import insert_or_ignore

NumberedEntry = tuple[int, Entry]


def read(connection: Connection, turn_ids: Sequence[str]) -> Mapping[str, list[NumberedEntry]]:
    """Return the entries of several turns, in one query."""
    entries_by_turn: dict[str, list[NumberedEntry]] = {turn_id: [] for turn_id in turn_ids}
    query = select(entries.c.turn_id, entries.c.seq, entries.c.data)
    query = query.where(entries.c.turn_id.in_(turn_ids)).order_by(entries.c.seq)
    for turn_id, seq, data in connection.execute(query):
        entries_by_turn[turn_id].append((seq, log_entries.decode(data)))
    return entries_by_turn


def read_after(
    connection: Connection, cursors: Mapping[str, int]
) -> Mapping[str, list[NumberedEntry]]:
    """Return what follows a cursor in each of several logs, in one query."""
    entries_by_turn: dict[str, list[NumberedEntry]] = {}
    condition = or_(
        *(and_(entries.c.turn_id == id_, entries.c.seq > n) for id_, n in cursors.items())
    )
    query = select(entries.c.turn_id, entries.c.seq, entries.c.data).where(condition)
    for turn_id, seq, data in connection.execute(query.order_by(entries.c.turn_id, entries.c.seq)):
        entries_by_turn.setdefault(turn_id, []).append((seq, log_entries.decode(data)))
    return entries_by_turn


def select_abandoned_turns(connection: Connection) -> list[str]:
    """Return the turns whose producers are gone without a trace."""
    query = select(turns.c.id).outerjoin(producers, turns.c.producer == producers.c.id)
    return list(connection.scalars(query.where(turns.c.producer > "", producers.c.id.is_(None))))


def batch(rows: Sequence[NumberedEntry], after: int) -> Batch:
    """Return what follows the cursor; an end stands for all, and so does a cursor out of range."""
    last = rows[-1][0] if rows else 0
    if after > last or (rows and isinstance(rows[-1][1], Ended)):
        after = 0
    return Batch(after, last, tuple(entry for seq, entry in rows if seq > after))


def lock(connection: Connection, turn_ids: Sequence[str]) -> None:
    """Let no other process write to these logs until the transaction is over.

    SQLite has one writer anyway; elsewhere the rows of the turns are the lock.
    """
    query = select(turns.c.id).where(turns.c.id.in_(turn_ids)).order_by(turns.c.id)
    connection.execute(query.with_for_update())


def select_ends(connection: Connection, turn_ids: Sequence[str]) -> dict[str, Ended]:
    """Return the last entries of those turns that have ended."""
    condition = (entries.c.turn_id.in_(turn_ids)) & (entries.c.kind == "ended")
    rows = connection.execute(select(entries.c.turn_id, entries.c.data).where(condition))
    return {turn_id: log_entries.decode(data) for turn_id, data in rows}


def add(connection: Connection, new_entries: Mapping[str, Sequence[NumberedEntry]]) -> bool:
    """Add entries to several logs, and say whether there were any."""
    rows = [
        _row(turn_id, seq, entry)
        for turn_id, numbered in new_entries.items()
        for seq, entry in numbered
    ]
    if rows:
        # After a commit whose answer was lost the same entries come again.
        connection.execute(insert_or_ignore(connection, entries), rows)
    return bool(rows)


def replace_with_end(connection: Connection, turn_id: str, seq: int, ended: Ended) -> None:
    """Put the end in the place of all entries of a turn, let its producer go and it be found."""
    connection.execute(delete(entries).where(entries.c.turn_id == turn_id))
    connection.execute(insert(entries).values(_row(turn_id, seq, ended)))
    values = {"producer": "", "charged": ended.is_charged}
    connection.execute(update(turns).where(turns.c.id == turn_id).values(values))
    search_index.index_reply(connection, turn_id, ended.text)


def _row(turn_id: str, seq: int, entry: Entry) -> dict[str, object]:
    kind = type(entry).__name__.lower()
    return {"turn_id": turn_id, "seq": seq, "kind": kind, "data": log_entries.encode(entry)}
