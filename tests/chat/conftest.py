"""A reply log with its own database; further logs on that database act as other processes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.support.clock import AdjustableClock
from tests.support.upstream import UPSTREAM_KEY
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.deletion import Deletions
from twindow.chat.limits import Limits, Sender, ServiceQuota
from twindow.chat.log import heartbeat
from twindow.chat.log.entries import build_reply
from twindow.chat.log.heartbeat import Heartbeat
from twindow.chat.log.log import Log
from twindow.chat.schema import counters
from twindow.chat.submissions import AddedTurn, Submissions, SubmittedMessage
from twindow.chat.turns import Turn, Turns
from twindow.core.clock import Clock
from twindow.core.db.counters import Counters
from twindow.core.db.database import Database
from twindow.core.db.migrations import migrate
from twindow.core.server.process_load import ProcessLoad
from twindow.core.settings import MessageLimits
from twindow.paths import MIGRATIONS
from twindow.twinapi import Client

SECRET_KEY = "secret" * 6


@pytest.fixture
def new_log(database_url: str, clock: Clock) -> Iterator[Callable[..., Log]]:
    """Return a factory of logs on one database; each log acts as the log of another process.

    A log with a clock of its own acts as the log of a process on another machine.
    """
    logs: list[Log] = []

    def new_log(clock: Clock = clock) -> Log:
        database = Database(database_url, clock=clock)
        migrate(database, MIGRATIONS, "alembic_version")
        logs.append(Log(database, ProcessLoad(), on_stored=lambda *_: None))
        return logs[-1]

    yield new_log
    for log in logs:
        log.close()
        log.database.close()


@pytest.fixture
def log(new_log: Callable[[], Log]) -> Log:
    return new_log()


@pytest.fixture
def quota(log: Log) -> ServiceQuota:
    return ServiceQuota(log.database, UPSTREAM_KEY)


def make_submissions(
    log: Log,
    quota: ServiceQuota | None = None,
    *,
    limits: str = "none",
    history_limit: int = 10_000,
    secret_key: str = SECRET_KEY,
) -> Submissions:
    """Return the submissions to a process, with the limits `TWINDOW_LIMITS`."""
    database = log.database
    quota = quota or ServiceQuota(database, UPSTREAM_KEY)
    all_limits = Limits(
        database,
        Counters(counters),
        quota,
        MessageLimits(limits),
        history_limit=history_limit,
    )
    return Submissions(database, log, all_limits, secret_key)


def start_conversation(
    submissions: Submissions,
    person: str = "alice",
    *,
    content: str = "Hello",
    key: str = "key",
    twin: str = "ada",
) -> AddedTurn:
    """Submit a first message, with an idempotency key."""
    message = SubmittedMessage(content, key)
    return submissions.start_conversation(Sender(person, twin), twin.title(), message)


@pytest.fixture
def submissions(log: Log, quota: ServiceQuota) -> Submissions:
    return make_submissions(log, quota)


@pytest.fixture
def turns(log: Log) -> Turns:
    return Turns(log.database)


@pytest.fixture
def turn(submissions: Submissions) -> Turn:
    """Return a turn whose reply is running."""
    return start_conversation(submissions).turn


@pytest.fixture
def conversation(turn: Turn, log: Log) -> Conversation:
    result = Conversations(log.database).find(turn.conversation_id, "alice")
    assert result is not None
    return result


def advance_until_workers_are_stale(clock: AdjustableClock, poll: Callable[[], object]) -> None:
    """Poll and advance the clock, so that the next poll finds workers without heartbeats stale."""
    poll()
    for _ in range(int(Heartbeat.stale_after_seconds // heartbeat.MAX_OBSERVATION_SECONDS)):
        clock.advance(heartbeat.MAX_OBSERVATION_SECONDS)
        poll()
    clock.advance(heartbeat.MAX_OBSERVATION_SECONDS)


def followed_texts(log: Log, turn: Turn) -> list[str]:
    """Follow the log to its end as a page does, and return the text after each batch."""
    texts = [""]
    for batch in log.follow(turn.id):
        text = build_reply(batch).text
        is_full_text = batch.after == 0 or batch.is_final
        texts.append(text if is_full_text else texts[-1] + text)
    return texts


def make_deletions(log: Log, service_url: str = "http://127.0.0.1:1") -> Deletions:
    """Return the deletions of a process, which reaches the service at a URL."""
    client = Client(service_url, UPSTREAM_KEY)
    return Deletions(log.database, Counters(counters), Turns(log.database), log, client)
