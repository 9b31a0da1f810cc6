"""A scripted twin service and model server, in one thread, for thousands of streams at once.

All replies begin at a request for /go. Each has ten deltas a second of 32 bytes, and a paragraph
every ten deltas. A delta contains the monotonic time in microseconds at which it is sent: all
processes of a machine share this clock.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import time
from collections.abc import Iterator
from contextlib import suppress

from tests.support.upstream import TWINS

INTERVAL_SECONDS = 0.1
KEEP_ALIVE_SECONDS = 5
DELTAS_OF_PARAGRAPH = 10
# The time of a delta, between marks that no Markdown changes.
TIME_FORMAT = "t{:015d}e"
DELTA_TEXT = f"{TIME_FORMAT} words of a day"  # 32 bytes

_SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _delta_text(number: int) -> str:
    text = DELTA_TEXT.format(time.monotonic_ns() // 1000)
    return f"{text[:-2]}\n\n" if number % DELTAS_OF_PARAGRAPH == DELTAS_OF_PARAGRAPH - 1 else text


def _twin_events(count: int) -> Iterator[bytes]:
    """Yield the events of a reply, as the service interface defines them."""
    for number in range(count):
        yield b'data: {"type":"delta","content":%s}\n\n' % json.dumps(_delta_text(number)).encode()
    yield b'data: {"type":"complete","message":{}}\n\n'


def _completion_events(count: int) -> Iterator[bytes]:
    """Yield the chunks of a chat completion, as llama.cpp's server sends them."""
    head = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"scripted"'
    for number in range(count):
        delta = json.dumps(_delta_text(number))
        choice = f'{{"index":0,"delta":{{"content":{delta}}},"finish_reason":null}}'
        yield f'data: {{{head},"choices":[{choice}]}}\n\n'.encode()
    end = '{"index":0,"delta":{},"finish_reason":"stop"}'
    yield f'data: {{{head},"choices":[{end}]}}\n\n'.encode()
    yield b"data: [DONE]\n\n"


async def _stream(
    writer: asyncio.StreamWriter, events: Iterator[bytes], begin: asyncio.Event
) -> None:
    """Send one event each interval. A late event does not delay the next ones."""
    writer.write(_SSE)
    while not begin.is_set():
        _write_chunk(writer, b": waiting\n\n")
        with suppress(TimeoutError):
            await asyncio.wait_for(begin.wait(), KEEP_ALIVE_SECONDS)
    clock = asyncio.get_running_loop().time
    # The replies of people do not move in step.
    await asyncio.sleep(random.random() * INTERVAL_SECONDS)  # noqa: S311
    started_at = clock()
    for number, event in enumerate(events):
        _write_chunk(writer, event)
        await asyncio.sleep(started_at + (number + 1) * INTERVAL_SECONDS - clock())
    writer.write(b"0\r\n\r\n")


def _write_chunk(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(b"%x\r\n%b\r\n" % (len(data), data))


def _send_json(writer: asyncio.StreamWriter, content: object, status: str = "200 OK") -> None:
    body = json.dumps(content).encode()
    head = f"HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}"
    writer.write(f"{head}\r\n\r\n".encode() + body)


async def _serve(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, count: int, begin: asyncio.Event
) -> None:
    try:
        while request := await reader.readuntil(b"\r\n\r\n"):
            path = request.split(b" ", 2)[1].decode()
            [length] = [
                int(line.partition(b":")[2])
                for line in request.split(b"\r\n")
                if line.lower().startswith(b"content-length:")
            ] or [0]
            await reader.readexactly(length)
            if path.endswith("/messages/stream"):
                await _stream(writer, _twin_events(count), begin)
            elif path.endswith("/chat/completions"):
                await _stream(writer, _completion_events(count), begin)
            elif path.endswith("/conversations"):
                _send_json(writer, {"data": {"id": os.urandom(8).hex()}}, "201 Created")
            elif path == "/go":
                begin.set()
                _send_json(writer, {})
            elif path.endswith("/models"):
                _send_json(writer, {"data": [{"id": "scripted"}]})
            else:
                _send_json(writer, {"data": TWINS[:1]})
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        pass
    finally:
        writer.close()


async def _main(count: int) -> None:
    begin = asyncio.Event()
    server = await asyncio.start_server(
        lambda reader, writer: _serve(reader, writer, count, begin), "127.0.0.1", 0, backlog=1024
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    # The process cannot outlive its parent, which holds standard input open.
    await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    asyncio.run(_main(int(sys.argv[1])))
