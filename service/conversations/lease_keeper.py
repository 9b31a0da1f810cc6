"""The keeper of what this process holds: it renews leases, and hears who should stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from core.database import DatabaseUnavailable
from service.conversations.leases import LEASE_SECONDS, Leases
from service.conversations.reply import Reply
from service.conversations.slots import QueueSlots

logger = logging.getLogger(__name__)


class LeaseKeeper:
    """Keep the leases of running replies and the places in the line, in a thread of its own."""

    poll_seconds = 0.5
    renew_interval_seconds = LEASE_SECONDS / 3

    def __init__(
        self,
        leases: Leases,
        slots: QueueSlots | None,
        running: Mapping[str, Reply],
        stop: Callable[[Reply], None],
    ) -> None:
        self._leases = leases
        self._clock = leases.database.clock
        self._slots = slots
        self._running = running
        self._stop = stop
        self._thread: threading.Thread | None = None
        self._wake_event = threading.Event()
        self._renewed_at = 0.0

    def wake(self) -> None:
        """Say that there is something to keep."""
        self._wake_event.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="keeper")
            self._thread.start()

    def _run(self) -> None:
        while True:
            self._wake_event.wait()
            self._wake_event.clear()
            # A reply that was stopped has its place until the model lets go.
            while self._running or (self._slots and self._slots.has_local_entries):
                self._clock.sleep(self.poll_seconds)
                try:
                    self._poll()
                except DatabaseUnavailable:
                    logger.warning("The leases of running replies could not be renewed.")
                except Exception:
                    # Without this thread every long reply would be taken for dead.
                    logger.exception("The leases of running replies could not be renewed.")

    def _poll(self) -> None:
        running = list(self._running.values())
        for message_id in self._leases.message_ids_to_stop([reply.lease_id for reply in running]):
            if reply := self._running.get(message_id):
                self._stop(reply)
        if self._clock.monotonic() - self._renewed_at > self.renew_interval_seconds:
            self._leases.renew([reply.lease_id for reply in running])
            if self._slots:
                self._slots.renew()
            self._renewed_at = self._clock.monotonic()
