"""Interrupting abandoned replies: those of dead workers, and no others."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import Connection, event, exc, select

from tests.chat.conftest import advance_until_workers_are_stale
from tests.support.clock import AdjustableClock
from tests.support.databases import on_postgresql, on_sqlite
from twindow.chat.log import heartbeat
from twindow.chat.log.entries import ReplyState, build_reply, join_text
from twindow.chat.log.heartbeat import Heartbeat
from twindow.chat.log.log import Log
from twindow.chat.log.recovery import Recovery
from twindow.chat.schema import workers
from twindow.chat.turns import Turn
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.server.process_load import ProcessLoad
from twindow.twinapi import Delta


def test_sleep_of_the_machine_and_jumps_of_its_clock_interrupt_no_reply(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    log._flusher.close()
    observers = [new_log()]
    assert observers[0].interrupt_abandoned([turn.id]) == []
    for jump in (600, -600, 86_400):
        clock.jump_wall_clock(jump)
        clock.advance(abs(jump))
        observers.append(new_log())

    assert [each.interrupt_abandoned([turn.id]) for each in observers] == [[]] * 4


def test_database_outage_does_not_make_live_workers_count_as_dead(
    log: Log, turn: Turn, new_log: Callable[[], Log], clock: AdjustableClock
):
    log._flusher.close()
    other = new_log()
    advance_until_workers_are_stale(clock, lambda: other.interrupt_abandoned([turn.id]))
    with pytest.raises(DatabaseUnavailable), other.database.read():
        raise exc.OperationalError("away", {}, Exception())

    assert other.interrupt_abandoned([turn.id]) == []
    clock.advance(heartbeat.MAX_OBSERVATION_SECONDS)
    assert other.interrupt_abandoned([turn.id]) == [turn.id]


class WaitingHeartbeat(Heartbeat):
    """A heartbeat that calls `during_probe` before its probe of the database."""

    during_probe: Callable[[Connection], object]

    def probe(self, connection: Connection) -> None:
        """Call `during_probe`, then probe the database."""
        self.during_probe(connection)
        super().probe(connection)


@pytest.fixture
def other(new_log: Callable[[], Log]) -> Log:
    """Return the log of another process, whose `during_probe` a test sets."""
    other = new_log()
    other._recovery._heartbeat = WaitingHeartbeat(other.database)
    return other


@on_sqlite
@pytest.mark.parametrize("by_sweep", [False, True])
def test_heartbeat_recorded_just_before_the_interruption_keeps_the_reply_running(
    log: Log, turn: Turn, other: Log, clock: AdjustableClock, *, by_sweep: bool
):
    log._flusher.close()
    advance_until_workers_are_stale(clock, lambda: other._recovery.find_abandoned([turn.id]))
    # Record the heartbeat in the transaction of the probe: SQLite has only one writer.
    beats = iter([log._heartbeat.record_heartbeat])
    other._recovery._heartbeat.during_probe = lambda connection: [
        beat(connection) for beat in beats
    ]

    if by_sweep:
        other._recovery.sweep()
    else:
        assert other.interrupt_abandoned([turn.id]) == []
    assert build_reply(other.read(turn.id)).is_running


def wait_for_the_probe(other: Log, clock: AdjustableClock) -> None:
    other._recovery._heartbeat.during_probe = lambda _: clock.advance(1)


def wait_for_the_first_transaction(other: Log, clock: AdjustableClock) -> None:
    waits = iter([1])

    def wait(connection: Connection) -> None:
        if connection.get_execution_options().get("immediate"):
            clock.advance(next(waits, 0))

    other._recovery._heartbeat.during_probe = lambda _: None
    event.listen(other.database.engine, "begin", wait)


@on_sqlite
@pytest.mark.parametrize("wait", [wait_for_the_probe, wait_for_the_first_transaction])
@pytest.mark.parametrize(
    "end_replies",
    [
        lambda recovery, turn: recovery.interrupt_abandoned([turn.id]),
        lambda recovery, turn: recovery.interrupt_if_uncontended([turn.id]),
        lambda recovery, _: recovery.sweep(),
    ],
    ids=["interrupt_abandoned", "interrupt_if_uncontended", "sweep"],
)
def test_lock_wait_at_any_step_of_the_recovery_makes_no_worker_stale(
    log: Log,
    turn: Turn,
    other: Log,
    clock: AdjustableClock,
    wait: Callable[[Log, AdjustableClock], None],
    end_replies: Callable[[Recovery, Turn], object],
):
    """While a lock makes the recovery wait, live workers cannot record heartbeats either."""
    log._flusher.close()
    advance_until_workers_are_stale(clock, lambda: other._recovery.find_abandoned([turn.id]))
    wait(other, clock)

    end_replies(other._recovery, turn)

    assert build_reply(other.read(turn.id)).is_running
    with log.database.read() as connection:
        assert log._heartbeat.worker_id in connection.scalars(select(workers.c.id))


def test_readers_of_an_abandoned_reply_receive_its_end(log: Log, turn: Turn):
    following = log.follow(turn.id)
    log.append(turn.id, Delta("Last words"))
    assert join_text(next(following).entries) == "Last words"
    log.flush()
    log.drop_buffer(turn.id)

    assert build_reply(next(following)).state == ReplyState.INTERRUPTED


def test_process_that_stops_leaves_the_replies_of_other_processes_running(
    log: Log, turn: Turn, new_log: Callable[[], Log]
):
    for _ in range(5):
        new_log().close()

    with log.database.read() as connection:
        assert list(connection.scalars(select(workers.c.id))) == [log._heartbeat.worker_id]


@pytest.mark.parametrize("is_live", [True, False])
def test_reader_interrupts_the_reply_of_a_dead_worker(
    log: Log, turn: Turn, new_log: Callable[[], Log], *, is_live: bool
):
    log.append(turn.id, Delta("Last words"))
    log.flush()
    other = new_log()
    other._heartbeat.stale_after_seconds = 0.0

    *_, last = other.follow(turn.id) if is_live else other.read_all([turn.id]).values()

    reply = build_reply(last)
    assert (reply.state, reply.text) == (ReplyState.INTERRUPTED, "Last words")
    assert reply.perhaps_received


@pytest.mark.fault("F90")
@on_postgresql
def test_lock_on_the_heartbeat_table_does_not_interrupt_replies(
    log: Log, turn: Turn, database_url: str, clock: AdjustableClock
):
    log._flusher.close()
    database = Database(database_url, lock_timeout=0.05, clock=clock)
    other = Log(database, ProcessLoad(), on_stored=lambda *_: None)
    with log.database.write() as locking:
        # Other connections can still read the locked table.
        locking.exec_driver_sql("LOCK TABLE workers IN EXCLUSIVE MODE")
        for end_replies in (lambda: other.interrupt_abandoned([turn.id]), other._recovery.sweep):
            advance_until_workers_are_stale(
                clock, lambda: other._recovery.find_abandoned([turn.id])
            )
            with pytest.raises(DatabaseUnavailable):
                end_replies()
    assert other.interrupt_abandoned([turn.id]) == []
    assert build_reply(other.read(turn.id)).is_running
    database.close()
