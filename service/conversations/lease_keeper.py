"""The keeper of what this process holds: it renews leases, and hears who should stop."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from core.database import DatabaseUnavailable
from service.conversations.leases import LEASE_SECONDS, Leases
from service.conversations.reply import Reply
from service.conversations.slots import Places

logger = logging.getLogger(__name__)


class Keeper:
    """Keep the leases of running replies and the places in the line, in a thread of its own."""

    look_seconds = 0.5
    renew_seconds = LEASE_SECONDS / 3

    def __init__(
        self,
        leases: Leases,
        places: Places | None,
        running: Mapping[str, Reply],
        stop: Callable[[Reply], None],
    ) -> None:
        self._leases = leases
        self._clock = leases.database.clock
        self._places = places
        self._running = running
        self._stop = stop
        self._thread: threading.Thread | None = None
        self._any = threading.Event()
        self._renewed_at = 0.0

    def wake(self) -> None:
        """Say that there is something to keep."""
        self._any.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._keep, daemon=True, name="keeper")
            self._thread.start()

    def _keep(self) -> None:
        while True:
            self._any.wait()
            self._any.clear()
            # A reply that was stopped has its place until the model lets go.
            while self._running or (self._places and self._places.taken_here):
                self._clock.sleep(self.look_seconds)
                try:
                    self._look()
                except DatabaseUnavailable:
                    logger.warning("The leases of running replies could not be renewed.")
                except Exception:
                    # Without this thread every long reply would be taken for dead.
                    logger.exception("The leases of running replies could not be renewed.")

    def _look(self) -> None:
        running = list(self._running.values())
        for message_id in self._leases.to_be_stopped([reply.holder for reply in running]):
            if reply := self._running.get(message_id):
                self._stop(reply)
        if self._clock.monotonic() - self._renewed_at > self.renew_seconds:
            self._leases.renew([reply.holder for reply in running])
            if self._places:
                self._places.renew()
            self._renewed_at = self._clock.monotonic()
