"""Background thread that renews the leases of this process and polls for stop requests."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping

from twindow.core.db.errors import DatabaseUnavailable
from twindow.service.conversations.leases import LEASE_SECONDS, Leases
from twindow.service.conversations.reply import Reply

logger = logging.getLogger(__name__)


class LeaseKeeper:
    """Renew the leases of running replies, in a background thread.

    Calls `stop` for a running reply if another process has requested its stop, or if its lease is
    lost. The thread starts with the first `wake` and sleeps while nothing is running.
    """

    poll_seconds = 1.0
    renew_interval_seconds = LEASE_SECONDS / 3

    def __init__(
        self,
        leases: Leases,
        running: Mapping[str, Reply],
        stop: Callable[[Reply], None],
    ) -> None:
        self._leases = leases
        self._clock = leases.database.clock
        self._running = running
        self._stop = stop
        self._thread: threading.Thread | None = None
        self._wakeup = threading.Event()
        self._renewed_at = 0.0

    def wake(self) -> None:
        """Start or wake the thread, because there is a lease to renew."""
        self._wakeup.set()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True, name="lease-keeper")
            self._thread.start()

    def _run(self) -> None:
        while True:
            self._wakeup.wait()
            self._wakeup.clear()
            while self._running:
                self._clock.sleep(self.poll_seconds)
                try:
                    self._poll()
                except DatabaseUnavailable:
                    logger.warning("Could not mark replies of the service as running.")
                except Exception:
                    # The thread must not end: without it every long reply would look abandoned.
                    logger.exception("Could not mark replies of the service as running.")

    def _poll(self) -> None:
        if not (running := list(self._running.values())):
            return
        stop_requests = self._leases.stop_requests([reply.lease_id for reply in running])
        for reply in running:
            if stop_requests.get(reply.lease_id, True):
                self._stop(reply)
        if self._clock.monotonic() - self._renewed_at > self.renew_interval_seconds:
            self._leases.renew([reply.lease_id for reply in running])
            self._renewed_at = self._clock.monotonic()
