"""HTTP responses that let other greenlets run before each read from the socket."""

from __future__ import annotations

import io
import time
from http.client import HTTPResponse
from typing import Any


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
    """Raw stream that yields to other greenlets before each read."""

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer."""
        time.sleep(0)
        return self._raw.readinto(buffer)

    def fileno(self) -> int:
        """Return the descriptor of the socket."""
        return self._raw.fileno()

    def close(self) -> None:
        """Close the stream."""
        self._raw.close()
        super().close()
