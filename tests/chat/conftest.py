"""A log in a database of its own, and a second process's view of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import app as twindow
from chat import heartbeat
from chat.allowance import Allowance
from chat.conversations import Conversation, Conversations
from chat.entries import fold
from chat.heartbeat import Heartbeat
from chat.log import Log
from chat.turns import Turn, Turns
from clock import Clock
from database import Database, migrate
from tests.support.clock import AdjustableClock
from tests.support.upstream import KEY


@pytest.fixture
def new_log(database_url: str, clock: Clock) -> Iterator[Callable[[], Log]]:
    """Return the log of one more process with each call."""
    logs: list[Log] = []

    def new_log() -> Log:
        database = Database(database_url, clock=clock)
        migrate(database, twindow.MIGRATIONS, "alembic_version")
        logs.append(Log(database, lambda text, _: f"<p>{text}</p>"))
        return logs[-1]

    yield new_log
    for log in logs:
        log.close()
        log.database.close()


@pytest.fixture
def log(new_log: Callable[[], Log]) -> Log:
    return new_log()


@pytest.fixture
def allowance(log: Log) -> Allowance:
    return Allowance(log.database, KEY, limit=500, share=0.5)


@pytest.fixture
def turns(log: Log, allowance: Allowance) -> Turns:
    return Turns(log.database, log, allowance)


@pytest.fixture
def turn(turns: Turns) -> Turn:
    """Return a turn whose log is open."""
    return turns.begin("alice", "ada", "Ada", "Hello", "key").turn


@pytest.fixture
def conversation(turn: Turn, log: Log) -> Conversation:
    found = Conversations(log.database).find(turn.conversation_id, "alice")
    assert found is not None
    return found


def watch(clock: AdjustableClock, look: Callable[[], object]) -> None:
    """Look for dead producers until the next look finds them."""
    look()
    for _ in range(int(Heartbeat.lost_seconds // heartbeat.MOST_A_LOOK)):
        clock.advance(heartbeat.MOST_A_LOOK)
        look()
    clock.advance(heartbeat.MOST_A_LOOK)


def shown(log: Log, turn: Turn) -> list[str]:
    """Follow the log as a page does, to its end, and return every text that it showed."""
    texts = [""]
    for batch in log.follow(turn.id):
        text = fold(batch).text
        whole = batch.after == 0 or batch.ended
        texts.append(text if whole else texts[-1] + text)
    return texts
