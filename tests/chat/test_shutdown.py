"""A shutdown ends all running replies quickly, even hundreds of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import event, select, update

from tests.chat.conftest import start_conversation
from tests.support.databases import on_postgresql
from twindow.chat.log import shutdown
from twindow.chat.log.entries import ReplyState, build_reply
from twindow.chat.log.log import Log
from twindow.chat.schema import entries
from twindow.chat.schema import turns as turn_table
from twindow.chat.submissions import Submissions
from twindow.chat.turns import Turn
from twindow.core.db.errors import DatabaseUnavailable
from twindow.twinapi import Delta

pytestmark = pytest.mark.fault("F72")


@pytest.fixture
def running(submissions: Submissions, log: Log) -> list[Turn]:
    """Return turns whose replies are running."""
    people = ("alice", "bob", "carol")
    running = [start_conversation(submissions, p).turn for p in people]
    for turn in running:
        log.append(turn.id, Delta(f"So far {turn.id}"))
    return running


@pytest.mark.both_databases
def test_shutdown_ends_all_running_replies_in_one_commit_without_rendering_them(
    log: Log, running: list[Turn]
):
    log._flusher.close()
    rendered: list[str] = []
    log._on_stored = lambda turn_id, _: rendered.append(turn_id)
    commits: list[object] = []
    event.listen(log.database.engine, "commit", commits.append)

    log.close()
    commit_count = len(commits)

    replies = [build_reply(log.read(turn.id)) for turn in running]
    assert [reply.state for reply in replies] == [ReplyState.INTERRUPTED] * 3
    assert [reply.text for reply in replies] == [f"So far {turn.id}" for turn in running]
    assert rendered == []
    assert commit_count == 2  # one commit for all replies, one for the heartbeat


@pytest.mark.both_databases
def test_reply_that_cannot_be_read_does_not_prevent_the_others_from_ending(
    log: Log, running: list[Turn], new_log: Callable[[], Log]
):
    log.flush()
    broken, *others = running
    with log.database.write() as connection:
        is_broken = entries.c.turn_id == broken.id
        connection.execute(update(entries).where(is_broken).values(data=b"{"))

    log.close()

    replies = [build_reply(new_log().read(turn.id)) for turn in others]
    assert [reply.state for reply in replies] == [ReplyState.INTERRUPTED] * 2
    assert [reply.text for reply in replies] == [f"So far {turn.id}" for turn in others]


def test_closed_log_accepts_no_new_turns(log: Log, submissions: Submissions):
    log.close()

    with pytest.raises(DatabaseUnavailable):
        start_conversation(submissions)


@on_postgresql
def test_locked_reply_does_not_prevent_the_others_from_ending(
    log: Log, running: list[Turn], new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(shutdown, "MAX_SECONDS", 0.5)
    other = new_log()
    with other.database.write() as locking:
        query = select(turn_table.c.id).where(turn_table.c.id == running[0].id)
        locking.execute(query.with_for_update())
        log.close()
        states = [build_reply(other.read(turn.id)).state for turn in running[1:]]

    assert states == [ReplyState.INTERRUPTED] * 2
    # The closed log has removed its heartbeat, so the reply counts as abandoned at once.
    assert other.interrupt_abandoned([running[0].id]) == [running[0].id]
