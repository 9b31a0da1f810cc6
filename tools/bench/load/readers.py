"""Readers of many streams at once, in one thread: how late each delta arrives."""

from __future__ import annotations

import asyncio
import json
import re
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

_TIME = re.compile(rb"t(\d{15})e")
_TAIL_BYTES = 16
CONNECT_GAP_SECONDS = 0.005


async def _read_stream(
    job: dict[str, Any],
    request: str,
    arrivals: list[tuple[int, int]],
    opened: Callable[[], None],
) -> int:
    """Read the stream of a request to its end, and return how many deltas it had."""
    address = urlsplit(job["url"])
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    writer.write(request.encode())
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    opened()
    is_gzipped = b"content-encoding: gzip" in head
    decode = zlib.decompressobj(31).decompress if is_gzipped else bytes
    newest = count = 0
    tail = b""
    while count < job["deltas"] and (data := await _read_part(reader, head)):
        now = time.monotonic_ns() // 1000
        text = tail + decode(data)
        for match in _TIME.finditer(text):
            sent_at = int(match[1])
            if sent_at > newest:
                newest = sent_at
                count += 1
                arrivals.append((sent_at, now - sent_at))
        tail = text[-_TAIL_BYTES:]
    writer.close()
    return count


async def _read_part(reader: asyncio.StreamReader, head: bytes) -> bytes:
    """Return the next bytes of the body; b"" at its end."""
    if b"transfer-encoding: chunked" not in head:
        return await reader.read(65536)
    try:
        size = int(await reader.readline() or b"0", 16)
        data = await reader.readexactly(size + 2)
    except (asyncio.IncompleteReadError, ConnectionError):
        return b""
    return data[:-2]


async def _main(job: dict[str, Any]) -> None:
    """Print a line when all streams are open; then when each delta was sent, and its delay (µs).

    The job has a URL, the requests for its streams, and the number of deltas of each.
    """
    arrivals: list[tuple[int, int]] = []
    waiting = len(job["requests"])

    def opened() -> None:
        nonlocal waiting
        waiting -= 1
        if not waiting:
            print("opened", flush=True)

    async def read_later(number: int, request: str) -> int:
        await asyncio.sleep(number * CONNECT_GAP_SECONDS)
        return await _read_stream(job, request, arrivals, opened)

    counts = await asyncio.gather(*(read_later(*each) for each in enumerate(job["requests"])))
    print(json.dumps({"counts": counts, "arrivals": arrivals}))


if __name__ == "__main__":
    asyncio.run(_main(json.loads(sys.stdin.readline())))
