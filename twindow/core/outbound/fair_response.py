"""HTTP responses that let other greenlets run while data keeps arriving."""

from __future__ import annotations

import io
import re
import time
from http.client import HTTPResponse
from typing import Any

# Without pauses, a service that is faster than this process would starve the other greenlets.
MAX_BUSY_SECONDS = 0.005
PAUSE_SECONDS = 0.001
# Each running reply has a buffer of this size.
BUFFER_BYTES = 8 * 1024
# After a read of this much, more may be waiting, so a busy process reads again without a pause.
FULL_READ_BYTES = BUFFER_BYTES // 4

# The end of a chunk, the size of the next one if it is not the last, and its first byte (RFC 9112,
# section 7.1). An invalid size does not match, because its error would discard the text before it.
_NEXT_CHUNK = re.compile(rb"\r\n[1-9a-fA-F][0-9a-fA-F]*(?:;[^\r\n]*)?\r\n.", re.DOTALL)


class FairHTTPResponse(HTTPResponse):
    """Response for `HTTPConnection.response_class`.

    A socket never waits while data is available, so other greenlets do not run. Endless headers,
    empty compressed blocks or chunks of one byte would block the event loop within a single call.
    The watchdog runs in the same event loop and could not abort the call.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._reader = _FairReader(self.fp.detach())
        self.fp = io.BufferedReader(self._reader, BUFFER_BYTES)

    def read1(self, n: int = -1) -> bytes:
        """Read what is available: unlike that of `HTTPResponse`, all chunks in the buffer."""
        pieces = [super().read1(n)]
        if self.chunked and n > 0:
            n -= len(pieces[0])
            while n > 0 and self.chunk_left == 0 and self._has_next_chunk():
                pieces.append(super().read1(n))
                n -= len(pieces[-1])
        return b"".join(pieces)

    def _has_next_chunk(self) -> bool:
        self._reader.is_reading = False
        try:
            return _NEXT_CHUNK.match(self.fp.peek()) is not None
        finally:
            self._reader.is_reading = True


class _FairReader(io.RawIOBase):
    """Raw stream that pauses after `MAX_BUSY_SECONDS` without waiting for data.

    What the process does with the data counts, too.
    """

    def __init__(self, raw: io.RawIOBase) -> None:
        self._raw = raw
        self._waited_at = time.monotonic()
        # If False, nothing is read, so that only buffered data is available.
        self.is_reading = True

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int | None:
        """Read into a buffer."""
        if not self.is_reading:
            return None
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
