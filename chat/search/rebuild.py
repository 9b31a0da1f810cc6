"""Search index of a database whose other tables were copied from another one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy import Connection, Row, Select, select

from chat import search_index
from chat.log import entries as log_entries
from chat.schema import conversations, entries, turns
from chat.search_index import MESSAGE, REPLY, TITLE

BATCH_ROWS = 200


def build_index(connection: Connection) -> None:
    """Add all titles, messages and replies to an empty index, the oldest first.

    Hits are listed in the reverse order of their rows in the index.
    """
    titles = select(conversations).order_by(conversations.c.created_at)
    for rows in _batches(connection, titles):
        search_index.insert_rows(
            connection, (index_row for row in rows for index_row in _title(row))
        )
    texts = (
        select(turns, conversations.c.person, entries.c.data)
        .select_from(turns)
        .join(conversations)
        .outerjoin(entries, (entries.c.turn_id == turns.c.id) & (entries.c.kind == "ended"))
        .order_by(turns.c.created_at, turns.c.id)
    )
    for rows in _batches(connection, texts):
        search_index.insert_rows(
            connection, (index_row for row in rows for index_row in _turn(row))
        )


def _batches(connection: Connection, query: Select[Any]) -> Iterator[Any]:
    options = {"yield_per": BATCH_ROWS}
    return connection.execute(query, execution_options=options).partitions()


def _title(row: Row[Any]) -> Iterator[search_index.Row]:
    return search_index.make_rows(row.person, row.id, None, TITLE, row.title)


def _turn(row: Row[Any]) -> Iterator[search_index.Row]:
    yield from search_index.make_rows(row.person, row.conversation_id, row.id, MESSAGE, row.content)
    reply = log_entries.decode(row.data).text if row.data else ""
    if reply:
        yield from search_index.make_rows(row.person, row.conversation_id, row.id, REPLY, reply)
