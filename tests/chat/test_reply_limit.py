"""The limit on the replies that one person receives at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from chat.log.entries import Ended, ReplyState
from chat.log.log import Log
from chat.quota import TOO_MANY_REPLIES, Quota, SendingBlocked
from chat.turn_rows import AddedTurn
from chat.turns import Turns

DATABASES = ["sqlite", "postgresql"]
LIMIT = 3


@pytest.mark.limit("L64")
def test_parallel_messages_start_no_more_replies_than_the_limit(
    log: Log, quota: Quota, turns: Turns
):
    quota.running_replies_limit = LIMIT

    def send(person: str, number: int) -> AddedTurn | str:
        try:
            return turns.start_conversation(person, "ada", "Ada", "Hello", f"key {number}")
        except SendingBlocked as blocked:
            return blocked.sentence

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda number: send("alice", number), range(10 * LIMIT)))
    added = [outcome for outcome in outcomes if isinstance(outcome, AddedTurn)]

    assert len(added) == LIMIT
    assert outcomes.count(TOO_MANY_REPLIES) == 9 * LIMIT
    assert isinstance(send("bob", 1), AddedTurn)
    log.end(added[0].turn.id, Ended(ReplyState.COMPLETE, text="Hi"))
    assert isinstance(send("alice", 99), AddedTurn)
