"""A scripted service in a separate process: it outlives the portal and records the messages.

A message contains the instructions for its reply: `n=200 gap=0.05 tag=x` streams x:0 to x:199.
`end=` selects an end other than complete, and `mode=` selects an attack.
"""

from __future__ import annotations

if __name__ == "__main__":
    from gevent import monkey

    monkey.patch_all()

import os
import time
import uuid
from array import array
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import ThreadingHTTPServer
from typing import Any

import gevent.os

from tests.support import upstream_server
from tests.support.upstream import Call
from tools.chaos import attacks

TWIN = {"id": "ada", "name": "Ada", "description": "Explains how things work."}


@dataclass
class Message:
    """A received message: how often it arrived, and when the parts of its reply were sent."""

    count: int = 0
    sent_times: array[float] = field(default_factory=lambda: array("d"))
    ended_at: float | None = None


class Handler(upstream_server.Handler):
    """Request handler that answers at once, as the message instructs."""

    messages: dict[str, Message]

    def answer(self, call: Call) -> None:
        """Answer a request."""
        with suppress(OSError):  # the portal has closed the connection
            self._respond(call)

    def _respond(self, call: Call) -> None:
        path, _, substring = call.path.partition("?")
        match call.method, path.removeprefix("/api/v1").split("/")[1:]:
            case "GET", ["seen"]:
                call.respond(200, self._received_messages(substring))
            case "GET", ["twins"]:
                call.respond(200, {"data": [TWIN]})
            case "GET", ["twins", "ada"]:
                call.respond(200, {"data": TWIN})
            case "POST", ["conversations"]:
                call.respond(201, {"data": {"id": uuid.uuid4().hex, **call.body}})
            case "POST", ["conversations", _, "messages", "stream"]:
                message = self.messages.setdefault(call.body["content"], Message())
                message.count += 1
                try:
                    send_reply(call, message, parse_instructions(call.body["content"]))
                finally:
                    message.ended_at = time.monotonic()
            case _:
                call.respond(404, {"error": "There is nothing here."})

    def _received_messages(self, substring: str) -> dict[str, Any]:
        return {
            content: {
                "count": message.count,
                "sent": list(message.sent_times),
                "over": message.ended_at,
            }
            for content, message in list(self.messages.items())
            if substring in content
        }


def parse_instructions(content: str) -> dict[str, str]:
    """Return the instructions in a message."""
    return dict(word.split("=", 1) for word in content.split() if "=" in word)


def send_reply(call: Call, message: Message, instructions: dict[str, str]) -> None:
    """Send a reply as instructed."""
    if "mode" in instructions:
        attacks.MODES[instructions["mode"]](call)
        return
    end = instructions.get("end", "complete")
    if end.isdigit():
        call.respond(int(end), {"error": "Not now."}, retry_after="1")
        return
    call.start_stream()
    for number in range(int(instructions.get("n", "1"))):
        if number:
            time.sleep(float(instructions.get("gap", "0")))
        call.delta(f"{instructions['tag']}:{number} ")
        message.sent_times.append(time.monotonic())
    if end == "reset":
        call.reset()
    elif end == "error":
        call.send_event(type="error", error="The twin is tired.")
    elif end == "complete":
        call.complete()


class Server(ThreadingHTTPServer):
    """An HTTP server whose backlog holds three hundred connections at once."""

    daemon_threads = True
    request_queue_size = 1024


def main() -> None:
    """Serve until standard input ends, so that the process cannot outlive its parent."""
    Handler.messages = {}
    server = Server(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    gevent.spawn(server.serve_forever)
    while gevent.os.tp_read(0, 1):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()
