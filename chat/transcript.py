"""Iteration over all turns of a conversation, without loading all of them into memory."""

from __future__ import annotations

from collections.abc import Iterator

from chat.log import Log, Reply, build_reply
from chat.turn_rows import Turn
from chat.turns import Turns

TURNS_PER_QUERY = 20


def iter_turns(turns: Turns, log: Log, conversation_id: str) -> Iterator[tuple[Turn, Reply]]:
    """Yield every turn with its reply, oldest first, in queries of `TURNS_PER_QUERY` turns."""
    last_position = 0
    while True:
        fetched_turns = turns.list_for_conversation(
            conversation_id, before=last_position + TURNS_PER_QUERY + 1, limit=TURNS_PER_QUERY
        )
        new_turns = [stored for stored in fetched_turns if stored.turn.position > last_position]
        if not new_turns:
            return
        logs = log.read_all([stored.turn.id for stored in new_turns if not stored.batch])
        for stored in new_turns:
            yield stored.turn, build_reply(stored.batch or logs[stored.turn.id])
        last_position = new_turns[-1].turn.position
