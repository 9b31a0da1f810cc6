"""The reply log against a model of it, in any order of texts, ends, deaths, shutdowns and locks.

One process writes a reply, and its first end wins and replaces all other entries. Readers in any
process get each text once and in order, and nothing after the end. The reply of a dead process is
ended as interrupted by exactly one process, and that of a live process by none.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Collection, Generator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import product

import msgspec
import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    Bundle,
    MultipleResults,
    RuleBasedStateMachine,
    consumes,
    initialize,
    multiple,
    precondition,
    rule,
    run_state_machine_as_test,
)
from sqlalchemy import delete, select

from tests.chat.conftest import make_submissions, start_conversation
from tests.support.clock import AdjustableClock
from twindow.chat.log import store
from twindow.chat.log.entries import Batch, Ended, ReplyState, build_reply, join_text
from twindow.chat.log.log import Log
from twindow.chat.log.recovery import INTERRUPTED_BY_DEAD_WORKER
from twindow.chat.log.shutdown import INTERRUPTED_BY_SHUTDOWN
from twindow.chat.schema import turns as turn_table
from twindow.chat.schema import workers
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.server.process_load import ProcessLoad
from twindow.twinapi import Delta, Progress

ENDS = [
    Ended(ReplyState.STOPPED),
    Ended(ReplyState.FAILED, code="service_error"),
    Ended(ReplyState.COMPLETE, text="The whole reply"),
]
# Long enough to notice a dead worker, at one observation in two seconds.
OBSERVATIONS = 6


class SteppedClock(AdjustableClock):
    """A clock that stands still until it is advanced."""

    def monotonic(self) -> float:
        """Return the seconds by which the clock was advanced."""
        return self._advanced_seconds

    def sleep(self, seconds: float) -> None:
        """Return at once."""


class UnmeasuredLoad(ProcessLoad):
    """The load of a process that need not be measured."""

    def measure_while(self, is_needed: Callable[[], bool]) -> None:
        """Measure nothing."""


class Process:
    """A process with its log. Its threads work only when the test calls them."""

    def __init__(self, url: str, clock: SteppedClock) -> None:
        self.database = Database(url, lock_timeout=0.001, clock=clock)
        self.log = Log(self.database, UnmeasuredLoad(), on_stored=lambda *_: None)
        self.log._flusher.close()
        self.log._remote_follower.close()
        self.is_alive = True

    def flush(self) -> None:
        """Do what the flusher does in each slice of time."""
        self.log.flush()
        self.log._flusher._store_ends()


@dataclass(eq=False)
class ReplyModel:
    """What a reply must look like.

    `received` is the text that its worker has received, `stored` is what `kill -9` does not lose.
    `end` is the end in the database; `announced` is an end that the worker shows before that.
    """

    turn_id: str
    worker: Process
    received: str = ""
    stored: str = ""
    end: Ended | None = None
    announced: Ended | None = None
    is_written: bool = True
    pieces: int = 0
    hang_ups: int = 0

    @property
    def is_abandoned(self) -> bool:
        """Whether nobody but the recovery can end the reply."""
        return not self.worker.is_alive and self.end is None

    def hang_up(self) -> None:
        """Close the connection to the service, as the worker does at the end of its reply."""
        self.hang_ups += 1

    def text_at(self, process: Process) -> str:
        """Return the text that an end without text keeps if this process stores the end."""
        return self.received if self.is_written and process is self.worker else self.stored


@dataclass(eq=False)
class Reader:
    """A page that follows a reply in one process."""

    process: Process
    reply: ReplyModel
    following: Generator[Batch]
    text: str = ""
    cursor: int = 0
    end: Ended | None = None

    def read_on(self) -> None:
        """Read once. Nothing is repeated, left out, or follows the end."""
        self.process.log._remote_follower._poll([self.reply.turn_id])
        batch = next(self.following, None)
        if batch is None:
            assert self.end or self.process.log.is_closing
            return
        assert self.end is None
        assert batch.last_seq >= self.cursor
        assert batch.is_final or batch.after == self.cursor
        self.cursor = batch.last_seq
        if batch.is_final:
            [self.end] = batch.entries[-1:]
            assert self.end in (self.reply.end, self.reply.announced)
        else:
            self.text += build_reply(batch).text
            if self.process is self.reply.worker:
                assert self.reply.received.startswith(self.text)
            else:
                assert self.text == self.reply.stored


class LogMachine(RuleBasedStateMachine):
    """Processes that share a database, their replies and the readers of these."""

    processes: Bundle[Process] = Bundle("processes")
    replies: Bundle[ReplyModel] = Bundle("replies")

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url = url
        self.clock = SteppedClock()
        self.lock_holder = Database(url)
        self.lock = ExitStack()
        self.is_locked = False
        self.all_processes: list[Process] = []
        self.all_replies: list[ReplyModel] = []
        self.all_readers: list[Reader] = []

    @property
    def live_processes(self) -> list[Process]:
        """The processes that were neither killed nor shut down."""
        return [process for process in self.all_processes if process.is_alive]

    @initialize(target=processes)
    def start_two_processes(self) -> MultipleResults[Process]:
        """Start two processes."""
        return multiple(self.start_process(), self.start_process())

    @initialize(target=replies, process=processes)
    def begin_first_reply(self, process: Process) -> ReplyModel:
        """Accept a first message."""
        return self.begin_reply(process)

    @rule(target=processes)
    def start_process(self) -> Process:
        """Start a process, perhaps after others have died."""
        self.all_processes.append(Process(self.url, self.clock))
        return self.all_processes[-1]

    @precondition(lambda self: not self.is_locked)
    @rule(target=replies, process=processes)
    def begin_reply(self, process: Process) -> ReplyModel:
        """Accept a message."""
        person = f"person {len(self.all_replies)}"
        submissions = make_submissions(process.log)
        turn = start_conversation(submissions, person, key=secrets.token_hex()).turn
        reply = ReplyModel(turn.id, process)
        assert process.log.set_abort(reply.turn_id, reply.hang_up)
        self.all_replies.append(reply)
        return reply

    @rule(reply=replies, count=st.integers(1, 3), is_flushed=st.booleans())
    def receive_text(self, reply: ReplyModel, count: int, *, is_flushed: bool) -> None:
        """Append pieces of text within one slice, also after others have ended the reply."""
        if not reply.worker.is_alive:
            return
        self.clock.advance(0.1)
        for _ in range(count):
            reply.pieces += 1
            piece = f"{reply.pieces} "
            reply.worker.log.append(reply.turn_id, Progress(piece), Delta(piece))
            if reply.is_written:
                reply.received += piece
        if is_flushed:
            self.flush(reply.worker)

    @rule(process=processes)
    def flush(self, process: Process) -> None:
        """Store what a process has received, and let it notice the ends of others."""
        try:
            process.flush()
        except DatabaseUnavailable:
            assert self.is_locked
        for reply in self.all_replies:
            if reply.worker is not process:
                continue
            if self.is_locked:
                # A flush without new text needs no lock, and sees the ends of others.
                reply.is_written &= not (reply.end and reply.hang_ups)
            elif reply.end is None:
                reply.stored = reply.received
                reply.end = reply.announced
            else:
                reply.is_written = False
        self.check_replies()

    @rule(process=processes, reply=replies, ended=st.sampled_from(ENDS))
    def end(self, process: Process, reply: ReplyModel, ended: Ended) -> None:
        """End a reply: *Stop* from any process, or because of what the service has sent."""
        self.receive_text(reply, 2, is_flushed=False)
        kept = msgspec.structs.replace(ended, text=ended.text or reply.text_at(process))
        try:
            is_first = process.log.end(reply.turn_id, ended)
        except DatabaseUnavailable:
            assert self.is_locked
            return
        assert is_first == (reply.end is None)
        reply.end = reply.end or kept
        if process is reply.worker:
            reply.is_written = False
        self.check_replies()

    @rule(reply=replies, ended=st.sampled_from(ENDS))
    def end_later(self, reply: ReplyModel, ended: Ended) -> None:
        """Let the worker show an end that it could not store yet."""
        if not (reply.worker.is_alive and reply.is_written):
            return
        self.receive_text(reply, 2, is_flushed=False)
        reply.announced = msgspec.structs.replace(ended, text=ended.text or reply.received)
        reply.is_written = False
        reply.worker.log.end_later(reply.turn_id, ended)

    @rule(process=consumes(processes))
    def kill(self, process: Process) -> None:
        """Kill a process. Only what is stored remains."""
        process.is_alive = False

    @precondition(lambda self: not self.is_locked)
    @rule(process=consumes(processes))
    def shut_down(self, process: Process) -> None:
        """Shut a process down, which ends its replies."""
        for reply in self.all_replies:
            self.receive_text(reply, 2, is_flushed=False)
            if reply.worker is process and reply.is_written:
                interrupted = msgspec.structs.replace(INTERRUPTED_BY_SHUTDOWN, text=reply.received)
                reply.end = reply.end or interrupted
                reply.is_written = False
        process.log.close()
        process.is_alive = False
        self.check_replies()

    @rule()
    def lock_or_unlock(self) -> None:
        """Lock all replies, as a slow transaction of another program does, or unlock them."""
        if self.is_locked:
            self.lock.close()
            self.is_locked = False
            # The flushers, which try again and again, are the first to get the lock.
            for process in self.live_processes:
                self.flush(process)
        else:
            connection = self.lock.enter_context(self.lock_holder.write())
            connection.execute(select(turn_table.c.id).with_for_update())
            self.is_locked = True

    @rule(process=processes, reply=replies)
    def follow(self, process: Process, reply: ReplyModel) -> None:
        """Open a page in any process."""
        reader = Reader(process, reply, process.log.follow(reply.turn_id, lambda: 0.0))
        self.all_readers.append(reader)
        reader.read_on()

    @rule()
    def read_on(self) -> None:
        """Let all pages read what is new."""
        for reader in self.all_readers:
            if reader.process.is_alive or reader.process.log.is_closing:
                reader.read_on()

    @rule()
    def read(self) -> None:
        """Read each log in each process."""
        for process, reply in product(self.live_processes, self.all_replies):
            whole = process.log.read(reply.turn_id)
            if whole.is_final:
                assert whole.entries[-1] in (reply.end, reply.announced)
            elif process is not reply.worker:
                assert build_reply(whole).text == reply.stored
            assert not (reply.end and process.log.allows_requests(reply.turn_id))

    @rule(process=processes, is_sweep=st.booleans())
    def look_for_dead_workers(self, process: Process, *, is_sweep: bool) -> None:
        """End abandoned replies: each is ended once, and no other reply."""
        turn_ids = [reply.turn_id for reply in self.all_replies if reply.end is None]
        ended_ids: Collection[str] = []
        with suppress(DatabaseUnavailable):
            if is_sweep:
                process.log._recovery.sweep()
                with process.database.read() as connection:
                    ended_ids = store.read_ends(connection, turn_ids)
            else:
                ended_ids = process.log.interrupt_abandoned(turn_ids)
        for reply in self.all_replies:
            if reply.turn_id in ended_ids:
                assert reply.is_abandoned
                reply.end = msgspec.structs.replace(INTERRUPTED_BY_DEAD_WORKER, text=reply.stored)
        self.check_replies()

    @rule(is_sweep=st.booleans())
    def let_workers_be_late(self, *, is_sweep: bool) -> None:
        """Let so little time pass that a worker without heartbeats may live."""
        for _ in range(2):
            self.clock.advance(2.0)
            for process in self.live_processes:
                self.look_for_dead_workers(process, is_sweep=is_sweep)
        for process in self.live_processes:
            self.flush(process)

    @rule(is_sweep=st.booleans())
    def let_time_pass(self, *, is_sweep: bool) -> None:
        """Let all live processes work until dead workers are noticed."""
        for _ in range(OBSERVATIONS):
            self.clock.advance(2.0)
            for process in self.live_processes:
                self.flush(process)
                self.look_for_dead_workers(process, is_sweep=is_sweep)

    def check_replies(self) -> None:
        """Check what is stored, and that workers that know of an end have closed a connection."""
        with self.lock_holder.read() as connection:
            rows = store.read(connection, [reply.turn_id for reply in self.all_replies])
        for reply in self.all_replies:
            entries = [entry for _, entry in rows[reply.turn_id]]
            assert entries == [reply.end] if reply.end else join_text(entries) == reply.stored
            assert reply.hang_ups == (not reply.is_written)
            assert reply.is_written or not reply.worker.log.set_abort(reply.turn_id, reply.hang_up)

    def teardown(self) -> None:
        """Check that every reply ends, that all readers get its end, and what is stored then."""
        if self.is_locked:
            self.lock_or_unlock()
        if not self.live_processes:
            self.start_process()
        self.let_time_pass(is_sweep=True)
        for reply in self.all_replies:
            if reply.worker.is_alive:
                self.end(reply.worker, reply, ENDS[0])
        for process in self.live_processes:
            self.flush(process)
        for reader in self.all_readers:
            if reader.process.is_alive:
                for _ in range(3):
                    reader.read_on()
                assert reader.end
        assert all(reply.end for reply in self.all_replies)
        with self.lock_holder.read() as connection:
            worker_ids = set(connection.scalars(select(workers.c.id)))
        live_ids = {process.log._heartbeat.worker_id for process in self.live_processes}
        assert worker_ids <= live_ids
        self.close()

    def close(self) -> None:
        """Forget the processes, and leave no heartbeats of theirs behind."""
        for reader in self.all_readers:
            reader.following.close()
        for process in self.all_processes:
            process.database.close()
        with self.lock_holder.write() as connection:
            connection.execute(delete(workers))
        self.lock_holder.close()


@pytest.mark.both_databases
def test_replies_are_read_in_order_and_end_once_whatever_happens_to_their_processes(
    database_url: str,
):
    run_state_machine_as_test(
        lambda: LogMachine(database_url),
        settings=settings(
            max_examples=40 if database_url.startswith("sqlite") else 8,
            stateful_step_count=25,
            database=None,
            # Shrinking a failure takes minutes: add `Phase.shrink` to understand one.
            phases=[Phase.generate],
        ),
    )
