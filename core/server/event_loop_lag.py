"""How late this process continues after a pause, because other work keeps it busy."""

from __future__ import annotations

import logging
import math
import threading
import time
from collections.abc import Callable

from core.metrics import NO_METRICS, Metrics

logger = logging.getLogger(__name__)

INTERVAL_SECONDS = 0.05
# Weight of the newest measurement; older ones count for about half a second.
WEIGHT = 0.1
# Timers of an idle process are up to this late.
IDLE_SECONDS = 0.001
# A busy process reads running replies less often, so that pages stay quick: the pause is this many
# times its lag. It was measured with 200 and 500 replies.
PAUSE_PER_LAG = 60
MAX_PAUSE_SECONDS = 0.5
# It is logged when this lag lasts: pages are slow.
WARNING_SECONDS = 0.1
LASTING_SECONDS = 10.0
WARNING_INTERVAL_SECONDS = 60.0
BUSY = "This process is busy: it continues %.0f ms late. More workers or machines would help."


class EventLoopLag:
    """Moving average of the delay after a pause, which also goes to `metrics`.

    A thread measures it while it is needed, so that an idle process never wakes up for it.
    `seconds` is 0 meanwhile.
    """

    def __init__(
        self,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self.metrics: Metrics = NO_METRICS
        self._monotonic = monotonic
        self._sleep = sleep
        self._lock = threading.Lock()
        self._conditions: set[Callable[[], bool]] = set()
        self._thread: threading.Thread | None = None
        self._busy_since = math.inf
        self._warned_at = -math.inf
        self.seconds = 0.0

    def pause_seconds(self) -> float:
        """Return how long the reader of a running reply should wait before it reads again."""
        busy_seconds = max(0.0, self.seconds - IDLE_SECONDS)
        return min(busy_seconds * PAUSE_PER_LAG, MAX_PAUSE_SECONDS)

    def measure_while(self, is_needed: Callable[[], bool]) -> None:
        """Measure in a thread as long as `is_needed`, or another such condition, returns True."""
        with self._lock:
            self._conditions.add(is_needed)
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._measure, daemon=True, name="event-loop-lag"
                )
                self._thread.start()

    def _is_needed(self) -> bool:
        with self._lock:
            if any(is_needed() for is_needed in self._conditions):
                return True
            self._thread = None
            self.seconds = 0.0
            return False

    def _measure(self) -> None:
        while self._is_needed():
            started_at = self._monotonic()
            self._sleep(INTERVAL_SECONDS)
            late_seconds = self._monotonic() - started_at - INTERVAL_SECONDS
            self.seconds += (max(0.0, late_seconds) - self.seconds) * WEIGHT
            self.metrics.set("event_loop_lag_seconds", self.seconds)
            self._warn_if_busy()
        self.metrics.set("event_loop_lag_seconds", 0)

    def _warn_if_busy(self) -> None:
        now = self._monotonic()
        self._busy_since = (
            min(self._busy_since, now) if self.seconds > WARNING_SECONDS else math.inf
        )
        if now >= max(
            self._busy_since + LASTING_SECONDS, self._warned_at + WARNING_INTERVAL_SECONDS
        ):
            self._warned_at = now
            logger.warning(BUSY, self.seconds * 1000)
