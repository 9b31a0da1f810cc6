"""Reply logs in the database: one row per entry, and a single row once the turn has ended."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence

from sqlalchemy import (
    JSON,
    Connection,
    Integer,
    cast,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)

from twindow.chat.log import entries as log_entries
from twindow.chat.log.buffers import LogBuffer
from twindow.chat.log.entries import Batch, Ended, Entry, keep_text
from twindow.chat.schema import entries, turns, workers
from twindow.core.db.statements import insert_or_ignore
from twindow.core.text_folding import join_terms

NumberedEntry = tuple[int, Entry]


def read(connection: Connection, turn_ids: Sequence[str]) -> Mapping[str, list[NumberedEntry]]:
    """Return the numbered entries of several turns by turn id, in one query."""
    entries_by_turn: dict[str, list[NumberedEntry]] = {turn_id: [] for turn_id in turn_ids}
    query = select(entries.c.turn_id, entries.c.seq, entries.c.data)
    query = query.where(entries.c.turn_id.in_(turn_ids)).order_by(entries.c.seq)
    for turn_id, seq, data in connection.execute(query):
        entries_by_turn[turn_id].append((seq, log_entries.decode(data)))
    return entries_by_turn


def read_after(
    connection: Connection, cursors: Mapping[str, int]
) -> Mapping[str, list[NumberedEntry]]:
    """Return the entries after the cursor of each turn, in one query.

    Turns without new entries are missing from the result.
    """
    entries_by_turn: dict[str, list[NumberedEntry]] = {}
    # One parameter, whatever the number of turns, so that the statement is compiled only once.
    parameter = literal(json.dumps(dict(cursors)))
    is_sqlite = connection.dialect.name == "sqlite"
    each = func.json_each(parameter) if is_sqlite else func.json_each_text(cast(parameter, JSON))
    cursor = each.table_valued("key", "value")
    is_after = (entries.c.turn_id == cursor.c.key) & (entries.c.seq > cast(cursor.c.value, Integer))
    query = select(entries.c.turn_id, entries.c.seq, entries.c.data).join_from(
        cursor, entries, is_after
    )
    for turn_id, seq, data in connection.execute(query.order_by(entries.c.turn_id, entries.c.seq)):
        entries_by_turn.setdefault(turn_id, []).append((seq, log_entries.decode(data)))
    return entries_by_turn


def select_turns_without_worker(connection: Connection) -> list[str]:
    """Return the ids of running turns whose worker has no row."""
    query = select(turns.c.id).outerjoin(workers, turns.c.worker == workers.c.id)
    return list(connection.scalars(query.where(turns.c.worker > "", workers.c.id.is_(None))))


def make_batch(rows: Sequence[NumberedEntry]) -> Batch:
    """Return all entries of a log as a batch."""
    return Batch(0, rows[-1][0] if rows else 0, tuple(entry for _, entry in rows))


def lock(connection: Connection, turn_id: str) -> bool:
    """Prevent other processes from writing to this log until the transaction ends.

    Locks the row of the turn; returns False if it does not exist. SQLite has only one writer at a
    time anyway.
    """
    query = select(turns.c.id).where(turns.c.id == turn_id).with_for_update()
    return connection.execute(query).first() is not None


def select_running(connection: Connection, worker_id: str, *, lock: bool) -> set[str]:
    """Return the ids of the running turns of a worker.

    With `lock`, their logs are locked, and the result has no turns that another transaction has
    locked.
    """
    query = select(turns.c.id).where(turns.c.worker == worker_id)
    return set(connection.scalars(query.with_for_update(skip_locked=True) if lock else query))


def select_existing(connection: Connection, turn_ids: Collection[str]) -> set[str]:
    """Return the ids of the turns that exist, whether locked or not."""
    if not turn_ids:
        return set()
    return set(connection.scalars(select(turns.c.id).where(turns.c.id.in_(list(turn_ids)))))


def read_ends(connection: Connection, turn_ids: Sequence[str]) -> dict[str, Ended]:
    """Return the final entries of the turns that have ended, by turn id.

    Entries of running turns, which may be many, are not read.
    """
    ended = turns.c.id.in_(turn_ids) & (turns.c.worker == "") & (entries.c.kind == "ended")
    query = select(turns.c.id, entries.c.data).join_from(turns, entries).where(ended)
    return {turn_id: log_entries.decode(data) for turn_id, data in connection.execute(query)}


def add(connection: Connection, new_entries: Mapping[str, Sequence[NumberedEntry]]) -> None:
    """Add entries to several logs."""
    rows = [
        _row(turn_id, seq, entry)
        for turn_id, numbered in new_entries.items()
        for seq, entry in numbered
    ]
    # If the confirmation of a commit was lost, the same entries are written again.
    statement = insert_or_ignore(connection, entries)
    if connection.dialect.name != "sqlite":
        # Without RETURNING, SQLAlchemy and psycopg send one statement for each row.
        statement = statement.returning(entries.c.seq)
    connection.execute(statement, rows)


def _row(turn_id: str, seq: int, entry: Entry) -> dict[str, object]:
    kind = type(entry).__name__.lower()
    return {"turn_id": turn_id, "seq": seq, "kind": kind, "data": log_entries.encode(entry)}


def store_end(
    connection: Connection,
    turn_id: str,
    rows: Sequence[NumberedEntry],
    ended: Ended,
    buffer: LogBuffer | None,
) -> tuple[Ended, bool]:
    """Replace all entries of a turn with `ended`, unless the turn has already ended.

    Also clears the worker of the turn and stores what the search finds. The caller must have locked
    the turn. `rows` are the stored entries of the turn. Returns the final entry of the turn, and
    whether this call has ended the turn. If `ended` has no text, the final entry has the text so
    far.
    """
    last_seq, last_entry = rows[-1] if rows else (0, None)
    if isinstance(last_entry, Ended):
        return last_entry, False
    final_entry = keep_text(ended, buffer.entries if buffer else [entry for _, entry in rows])
    seq = max(last_seq, buffer.last_seq if buffer else 0) + 1
    connection.execute(delete(entries).where(entries.c.turn_id == turn_id))
    connection.execute(insert(entries).values(_row(turn_id, seq, final_entry)))
    values = {"worker": "", "reply_terms": join_terms(final_entry.text)}
    connection.execute(update(turns).where(turns.c.id == turn_id).values(values))
    return final_entry, True


def store_ends(
    connection: Connection, ends: Mapping[str, Ended], buffers: Mapping[str, LogBuffer]
) -> dict[str, Ended]:
    """Store the ends of these turns, except turns that another transaction has locked.

    Returns the final entry of each turn that has been stored.
    """
    query = select(turns.c.id).where(turns.c.id.in_(list(ends))).with_for_update(skip_locked=True)
    locked_ids = sorted(connection.scalars(query))
    rows = read(connection, locked_ids)
    final_entries = {}
    for turn_id in locked_ids:
        buffer, ended = buffers.get(turn_id), ends[turn_id]
        final_entries[turn_id], _ = store_end(connection, turn_id, rows[turn_id], ended, buffer)
    return final_entries
