"""A whole conversation, turn by turn from its beginning, never all of it in memory."""

from __future__ import annotations

from collections.abc import Iterator

from chat.log.entries import Reply, fold
from chat.log.log import Log
from chat.turns import Turn, Turns

BATCH = 20


def transcript(turns: Turns, log: Log, conversation_id: str) -> Iterator[tuple[Turn, Reply]]:
    """Yield every turn with its reply."""
    last = 0
    while True:
        near = turns.of_conversation(conversation_id, before=last + BATCH + 1, limit=BATCH)
        new = [turn for turn in near if turn.position > last]
        if not new:
            return
        logs = log.read_all([turn.id for turn in new])
        yield from ((turn, fold(logs[turn.id])) for turn in new)
        last = new[-1].position
