"""A scripted service on a real socket. The test holds the writer: nothing moves by itself."""

from __future__ import annotations

import json
import queue
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

WAIT_SECONDS = 10
KEY = "canary-key-5f2c9e"

TWINS = [
    {
        "id": "ada",
        "name": "Ada",
        "description": "Explains how things work.",
        "greeting": "Hello, I am Ada.",
        "starters": ["How does a bicycle stay upright?"],
    },
    {"id": "a/b c?#ü", "name": "Odd"},
]


class Call:
    """One request that has come in. The answer is what the test makes it."""

    def __init__(self, handler: Handler, body: Any) -> None:
        self.method = handler.command
        self.path = handler.path
        self.headers = dict(handler.headers)
        self.body = body
        self._handler = handler
        self._over = threading.Event()

    def answer(self, status: int, body: Any = None, **headers: str) -> None:
        """Give a whole answer; bytes go out as they are, all else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.head(status, **{"Content-Type": "application/json", **_dashed(headers)})
        self.raw(data)
        self.finish()

    def head(self, status: int = 200, **headers: str) -> None:
        """Write the head. The body ends with the connection, as close-delimited bodies do."""
        handler = self._handler
        handler.send_response(status)
        for name, value in _dashed(headers).items():
            handler.send_header(name, value)
        handler.send_header("Connection", "close")
        handler.end_headers()

    def begin(self, **headers: str) -> Self:
        """Begin a stream."""
        self.head(200, content_type="text/event-stream", **headers)
        return self

    def begin_chunked(self) -> Self:
        """Begin a stream whose body is framed in chunks, each of which is read by itself."""
        return self.begin(transfer_encoding="chunked")

    def chunk(self, data: bytes) -> None:
        """Write one chunk; an empty one is the end of the body."""
        self.raw(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def raw(self, data: bytes) -> None:
        """Write bytes."""
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def send(self, **event: Any) -> None:
        """Write one event."""
        self.raw(f"data: {json.dumps(event)}\n\n".encode())

    def delta(self, text: str) -> None:
        """Write a piece of the reply."""
        self.send(type="delta", content=text)

    def complete(self, text: str | None = None) -> None:
        """Write the end of a good reply."""
        self.send(type="complete", message={"content": text} if text is not None else None)
        self.finish()

    def finish(self) -> None:
        """Close the connection in an orderly way."""
        self._over.set()

    def reset(self) -> None:
        """Break the connection off."""
        linger = (1).to_bytes(4, "little") + (0).to_bytes(4, "little")
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._over.set()

    def wait_for_hangup(self) -> bool:
        """Wait until the other side has gone, and say whether it has."""
        try:
            self._handler.connection.settimeout(WAIT_SECONDS)
            return self._handler.connection.recv(1) == b""
        except TimeoutError:
            return False
        except OSError:
            return True

    def beat_until_hangup(self, beat: bytes = b": still here\n\n") -> None:
        """Write a beat twenty times a second until the other side has gone."""
        self._handler.connection.settimeout(0.05)
        with suppress(OSError):
            while True:
                self.raw(beat)
                with suppress(TimeoutError):
                    if self._handler.connection.recv(1) == b"":
                        return

    def hold(self) -> None:
        """Keep the connection until the test is done with it."""
        self._over.wait(60)


class Handler(BaseHTTPRequestHandler):
    """Answer what is set up, and hand everything else to the test."""

    upstream: Upstream
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer a reading request."""
        self._handle()

    def do_DELETE(self) -> None:
        """Answer a request to take something away."""
        self._handle()

    def do_POST(self) -> None:
        """Answer a writing request."""
        self._handle()

    def _handle(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else None
        call = Call(self, body)
        self.upstream.calls.append(call)
        ready = self.upstream.ready_answer(call)
        if callable(ready):
            ready(call)
        elif ready:
            call.answer(*ready)
        else:
            self.upstream.waiting.put(call)
            call.hold()
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


# A status and a body, or whoever answers the call.
Answer = tuple[int, Any] | Callable[[Call], Any]


class Upstream:
    """The service. `calls` is everything that was asked of it."""

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.calls: list[Call] = []
        self.waiting: queue.SimpleQueue[Call] = queue.SimpleQueue()
        self.twins: list[dict[str, Any]] = TWINS
        self.hold_back: set[str] = set()
        self.answers: dict[str, Answer] = {}
        # What the service remembers of a conversation; None for one that offers no history.
        self.history: list[dict[str, Any]] | None = None
        self._conversations = 0

    def ready_answer(self, call: Call) -> Answer | None:
        """Answer lists and new conversations, unless their path is held back for the test."""
        path = call.path.partition("?")[0]
        if path in self.hold_back:
            return None
        if path in self.answers:
            return self.answers[path]
        if call.method == "GET" and path == "/api/v1/twins":
            return 200, {"data": self.twins}
        if call.method == "GET" and path.endswith("/messages"):
            return (404, {}) if self.history is None else (200, {"data": self.history})
        if call.method == "POST" and path == "/api/v1/conversations":
            self._conversations += 1
            return 201, {"data": {"id": f"up-{self._conversations}", **call.body}}
        return None

    def next_call(self) -> Call:
        """Return the next request that waits for an answer."""
        return self.waiting.get(timeout=WAIT_SECONDS)

    def let_go(self) -> None:
        """Hold no call any longer."""
        for call in self.calls:
            call.finish()

    def stop(self) -> None:
        """Be gone: from now on nobody listens."""
        self._server.shutdown()
        self._server.server_close()

    def sent(self) -> list[str]:
        """Return what has been sent to twins, in order."""
        posts = (call for call in self.calls if call.method == "POST")
        return [call.body["content"] for call in posts if "messages" in call.path]


@contextmanager
def running() -> Iterator[Upstream]:
    """Run a scripted service."""

    class OwnHandler(Handler):
        pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True
        block_on_close = False

    server = Server(("127.0.0.1", 0), OwnHandler)
    upstream = OwnHandler.upstream = Upstream(server)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield upstream
    upstream.let_go()
    upstream.stop()


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-").title(): value for name, value in headers.items()}
