"""Requests for single twins, limited because any page view can cause one."""

from __future__ import annotations

import threading
from collections import deque

from core.clock import Clock
from twinapi import Client, NotFound, Twin

HOUR_SECONDS = 3600.0


class TwinLookups:
    """Single twins of the service.

    An answer is remembered for an hour, even if the answer is that the twin does not exist.
    """

    max_requests_per_hour = 60

    def __init__(self, client: Client, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        # Times and ids of the requests of the last hour.
        self._requests: deque[tuple[float, str]] = deque()
        self._answers: dict[str, Twin | None] = {}
        self._lock = threading.Lock()

    def find(self, twin_id: str) -> Twin:
        """Return a twin from the remembered answers, or request the twin.

        Raises TwinApiError. Raises NotFound without a request if the last hour had
        `max_requests_per_hour` requests.
        """
        with self._lock:
            self._forget_old_answers()
            if twin_id in self._answers:
                return _found(self._answers[twin_id])
            if len(self._requests) >= self.max_requests_per_hour:
                raise NotFound(404)
            self._requests.append((self._clock.monotonic(), twin_id))
        return _found(self._request(twin_id))

    def _request(self, twin_id: str) -> Twin | None:
        try:
            twin = self._client.get_twin(twin_id)
        except NotFound:
            twin = None
        self._answers[twin_id] = twin
        return twin

    def _forget_old_answers(self) -> None:
        since = self._clock.monotonic() - HOUR_SECONDS
        while self._requests and self._requests[0][0] <= since:
            _, twin_id = self._requests.popleft()
            self._answers.pop(twin_id, None)


def _found(twin: Twin | None) -> Twin:
    if twin is None:
        raise NotFound(404)
    return twin
