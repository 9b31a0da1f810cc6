"""Store the end of one reply, or of several replies in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection

from chat.log import store
from chat.log.buffer import LogBuffer
from chat.log.entries import Ended, keep_text


def store_end(
    connection: Connection,
    turn_id: str,
    rows: Sequence[store.NumberedEntry],
    ended: Ended,
    buffer: LogBuffer | None,
) -> tuple[Ended, bool]:
    """Replace all entries of a turn with `ended`, unless the turn has already ended.

    The caller must have locked the turn. `rows` are the stored entries of the turn. Returns the
    final entry of the turn, and whether this call has ended the turn. If `ended` has no text, the
    final entry has the text so far.
    """
    last_seq, last_entry = rows[-1] if rows else (0, None)
    if isinstance(last_entry, Ended):
        return last_entry, False
    entries = buffer.entries if buffer else [entry for _, entry in rows]
    final_entry = keep_text(ended, entries)
    last_seq = max(last_seq, buffer.last_seq if buffer else 0)
    store.replace_with_end(connection, turn_id, last_seq + 1, final_entry)
    return final_entry, True


def store_ends(
    connection: Connection, ends: Mapping[str, Ended], buffers: Mapping[str, LogBuffer]
) -> dict[str, Ended]:
    """Store the ends of these turns, except turns that another transaction has locked.

    Returns the final entry of each turn that has been stored.
    """
    locked_ids = sorted(store.lock_available(connection, ends))
    rows = store.read(connection, locked_ids)
    final_entries = {}
    for turn_id in locked_ids:
        buffer, ended = buffers.get(turn_id), ends[turn_id]
        final_entries[turn_id], _ = store_end(connection, turn_id, rows[turn_id], ended, buffer)
    return final_entries
