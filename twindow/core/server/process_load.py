"""How busy this process is, and how late it therefore continues after a pause."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

from twindow.core.metrics import NO_METRICS, Metrics

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 0.25
# Weight of the newest measurement; older ones count for about half a second.
WEIGHT = 0.4
# A busy process reads running replies less often, so that pages stay quick: the pause grows with
# the share of a processor that the process uses, between these two shares. Other programs also make
# a timer late, but reading less often would not help against them.
IDLE_SHARE, FULL_SHARE = 0.4, 0.9
MAX_PAUSE_SECONDS = 0.5
# It is logged when this lag lasts: pages are slow.
WARNING_SECONDS = 0.1
LASTING_SECONDS = 10.0
WARNING_INTERVAL_SECONDS = 60.0
BUSY = "This process is busy: it continues %.0f ms late. More workers or machines would help."


class ProcessLoad:
    """Moving averages of the delay after a pause, and of the processor that the process uses.

    A thread measures them while they are needed, so that an idle process never wakes up for it.
    `lag_seconds`, which also goes to `metrics`, and `busy_share` are 0 meanwhile. `cpu_time`
    returns the seconds that all threads of the process have used.
    """

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
        cpu_time: Callable[[], float] = time.process_time,
    ) -> None:
        self.metrics: Metrics = NO_METRICS
        self._monotonic = monotonic
        self._sleep = sleep
        self._cpu_time = cpu_time
        self._lock = threading.Lock()
        self._conditions: set[Callable[[], bool]] = set()
        self._thread: threading.Thread | None = None
        self._busy_since = math.inf
        self._warned_at = -math.inf
        self.lag_seconds = self.busy_share = 0.0

    def pause_seconds(self) -> float:
        """Return how long the reader of a running reply should wait before it reads again."""
        excess = (self.busy_share - IDLE_SHARE) / (FULL_SHARE - IDLE_SHARE)
        return MAX_PAUSE_SECONDS * min(max(0.0, excess), 1.0)

    def measure_while(self, is_needed: Callable[[], bool]) -> None:
        """Measure in a thread as long as `is_needed`, or another such condition, returns True."""
        with self._lock:
            self._conditions.add(is_needed)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._measure, daemon=True, name="process-load"
                )
                self._thread.start()

    def _is_needed(self) -> bool:
        with self._lock:
            if any(is_needed() for is_needed in self._conditions):
                return True
            self._thread = None
            self.lag_seconds = self.busy_share = 0.0
            return False

    def _measure(self) -> None:
        while self._is_needed():
            started_at, used_before = self._monotonic(), self._cpu_time()
            self._sleep(INTERVAL_SECONDS)
            passed_seconds = self._monotonic() - started_at
            used_share = (self._cpu_time() - used_before) / max(passed_seconds, INTERVAL_SECONDS)
            late_seconds = max(0.0, passed_seconds - INTERVAL_SECONDS)
            self.busy_share += (used_share - self.busy_share) * WEIGHT
            self.lag_seconds += (late_seconds - self.lag_seconds) * WEIGHT
            self.metrics.set("event_loop_lag_seconds", self.lag_seconds)
            self._warn_if_busy()
        self.metrics.set("event_loop_lag_seconds", 0)

    def _warn_if_busy(self) -> None:
        now = self._monotonic()
        self._busy_since = (
            min(self._busy_since, now) if self.lag_seconds > WARNING_SECONDS else math.inf
        )
        if now >= max(
            self._busy_since + LASTING_SECONDS, self._warned_at + WARNING_INTERVAL_SECONDS
        ):
            self._warned_at = now
            logger.warning(BUSY, self.lag_seconds * 1000)
