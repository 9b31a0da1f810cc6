"""HTTP responses that let other greenlets run while data keeps arriving."""

from __future__ import annotations

import io
import time
from http.client import HTTPResponse
from typing import Any

# Without pauses, a service that is faster than this process would starve the other greenlets.
MAX_BUSY_SECONDS = 0.005
PAUSE_SECONDS = 0.001


class FairHTTPResponse(HTTPResponse):
    """Response for `HTTPConnection.response_class`.

    A socket never waits while data is available, so other greenlets do not run. Endless headers,
    empty compressed blocks or chunks of one byte would block the event loop within a single call.
    The watchdog runs in the same event loop and could not abort the call.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.fp = io.BufferedReader(_FairReader(self.fp.detach()))


class _FairReader(io.RawIOBase):
    """Raw stream that pauses after `MAX_BUSY_SECONDS` without waiting for data.

    What the process does with the data counts, too.
    """

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw
        self._waited_at = time.monotonic()

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer."""
        started_at = time.monotonic()
        if started_at - self._waited_at > MAX_BUSY_SECONDS:
            time.sleep(PAUSE_SECONDS)
            self._waited_at = started_at = time.monotonic()
        count = self._raw.readinto(buffer)
        ended_at = time.monotonic()
        if ended_at - started_at > PAUSE_SECONDS:
            self._waited_at = ended_at
        return count

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._raw.fileno()

    def close(self) -> None:
        """Close the stream."""
        self._raw.close()
        super().close()
