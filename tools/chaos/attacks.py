"""Responses of a service during an attack, most of them malicious."""

from __future__ import annotations

import json
import time
import zlib
from collections.abc import Callable
from itertools import chain, repeat

from tests.support.upstream import Call

MEGABYTE = 1024 * 1024
DELTA_EVENT = b"data: " + json.dumps({"type": "delta", "content": "word " * 200}).encode() + b"\n\n"
SHORT_LINE = b"data: x\n"


def bomb(call: Call) -> None:
    """Send 200 KB that decompress to one line of 200 MB."""
    _send_gzipped(call, b"x" * MEGABYTE, prefix=b"data: ")


def bomb_of_deltas(call: Call) -> None:
    """Send a compressed stream that decompresses to 200 MB of valid deltas."""
    _send_gzipped(call, DELTA_EVENT * (MEGABYTE // len(DELTA_EVENT)))


def line(call: Call) -> None:
    """Send one line of 50 MB without a line end."""
    call.start_stream()
    call.send_bytes(b"data: ")
    for _ in range(50):
        call.send_bytes(b"x" * MEGABYTE)


def lines(call: Call) -> None:
    """Send one event of 4 MiB in short lines."""
    call.start_stream()
    for _ in range(4):
        call.send_bytes(SHORT_LINE * (MEGABYTE // len(SHORT_LINE)))
    call.send_bytes(b"\n")
    call.complete("After the long event.")


def endless(call: Call) -> None:
    """Send deltas as fast as they are read, until the connection is closed."""
    call.start_stream()
    while True:
        call.send_bytes(DELTA_EVENT * 60)


def small_deltas(call: Call) -> None:
    """Send deltas of one character as fast as they are read, until the connection is closed."""
    call.start_stream()
    delta = b'data: {"type":"delta","content":"x"}\n\n'
    while True:
        call.send_bytes(delta * 1000)


def loris(call: Call) -> None:
    """Send a response head that never ends, one byte every 0.2 seconds."""
    for character in chain("HTTP/1.1 200 OK\r\nX-Slow: ", repeat("x")):
        call.send_bytes(character.encode())
        time.sleep(0.2)


def heartbeats(call: Call) -> None:
    """Send one delta, then only heartbeats until the connection is closed."""
    call.start_stream()
    call.delta("A first word. ")
    while True:
        call.send_bytes(b": still here\n\n")
        time.sleep(0.05)


def formulas(call: Call) -> None:
    """Send a paragraph of 24 KB with a thousand formulas; the person follows it in 24 tabs."""
    call.start_stream()
    for number in range(1_000):
        call.delta(f"$x_{{{number}}}+\\frac{{a}}{{b}}$ ")
        time.sleep(0.006)
    call.complete()


def calm(call: Call) -> None:
    """Send a normal reply, as a baseline for the attacks."""
    call.start_stream()
    for number in range(50):
        call.delta(f"word {number} ")
        time.sleep(0.1)
    call.complete()


ATTACKS = (bomb, bomb_of_deltas, line, lines, endless, small_deltas, loris, heartbeats, formulas)
MODES: dict[str, Callable[[Call], None]] = {
    "calm": calm,
    **{attack.__name__: attack for attack in ATTACKS},
    "large_heads": calm,  # meanwhile, a visitor sends requests with heads of 760 KB
}


def _send_gzipped(call: Call, chunk: bytes, prefix: bytes = b"") -> None:
    call.send_head(200, content_type="text/event-stream", content_encoding="gzip")
    compressor = zlib.compressobj(9, wbits=31)
    call.send_bytes(compressor.compress(prefix))
    for _ in range(200):
        call.send_bytes(compressor.compress(chunk))
    call.send_bytes(compressor.flush())
