"""Replies whose producers are gone: whoever looks ends them, once."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Container, Iterable

from sqlalchemy import Connection

from chat.log import store
from chat.log.entries import Ended, State
from chat.log.heartbeat import Heartbeat
from core.database import Database, DatabaseUnavailable
from core.languages import N_

logger = logging.getLogger(__name__)

SWEEP_SECONDS = 0.5

LOST = Ended(
    State.INTERRUPTED,
    sentence=N_("The reply was cut off, because Twindow was restarted. What came so far is kept."),
    perhaps_received=True,
)

# Asked within the transaction that is to end a turn, with the seconds waited for it.
Still = Callable[[Connection, float], bool]


class Orphans:
    """Find what producers that are gone have left. `end` ends a turn that still is one then.

    The turns that are `held` in this process itself are none.
    """

    # After a longer wait for the lock, live workers could not write their heartbeats either.
    contended_seconds = 0.5

    def __init__(
        self,
        database: Database,
        heartbeat: Heartbeat,
        held: Container[str],
        end: Callable[[str, Ended, Still], bool],
    ) -> None:
        self._database = database
        self._clock = database.clock
        self._heartbeat = heartbeat
        self._held = held
        self._end = end
        self._closing = threading.Event()

    def start(self) -> None:
        """Begin to look for what a process that died before this one has left."""
        threading.Thread(target=self._sweep_at_start, daemon=True, name="orphans").start()

    def close(self) -> None:
        """Look no more."""
        self._closing.set()

    def end(self, turn_ids: Iterable[str]) -> list[str]:
        """End those running replies that nobody goes on with, and return their turns."""
        others = [turn_id for turn_id in turn_ids if turn_id not in self._held]
        if not others:
            return []
        with self._database.read() as connection:
            lost = self._heartbeat.lost(connection, others)
        return [turn_id for turn_id in lost if self._end(turn_id, LOST, self._still(turn_id))]

    def end_while_writing(self, turn_ids: Iterable[str]) -> None:
        """End them, if the living could say that they live: so this process does."""
        asked_at = time.monotonic()
        with self._database.write() as connection:
            waited = time.monotonic() - asked_at
            self._heartbeat.beat(connection)
        if self._could_write(waited):
            self.end(turn_ids)

    def sweep(self) -> None:
        """End them also where nobody looks; a process does so when it starts."""
        with self._database.read() as connection:
            silent = self._heartbeat.silent(connection)
        if silent:
            asked_at = time.monotonic()
            with self._database.write() as connection:
                if not self._could_write(time.monotonic() - asked_at):
                    return
                for producer, beat in silent.items():
                    self._heartbeat.dismiss(connection, producer, beat)
        with self._database.read() as connection:
            found = store.orphans(connection)
        self.end(found)

    def _still(self, turn_id: str) -> Still:
        def still(connection: Connection, waited: float) -> bool:
            return self._could_write(waited) and bool(self._heartbeat.lost(connection, [turn_id]))

        return still

    def _could_write(self, waited: float) -> bool:
        if waited > self.contended_seconds:
            self._heartbeat.forget()
            return False
        return True

    def _sweep_at_start(self) -> None:
        give_up = self._clock.monotonic() + 2 * self._heartbeat.lost_seconds
        while self._clock.monotonic() < give_up and not self._closing.is_set():
            try:
                self.sweep()
            except DatabaseUnavailable:
                pass  # it is looked for again
            except Exception:
                logger.exception("What a dead process left cannot be looked for at the moment.")
            self._closing.wait(SWEEP_SECONDS)
