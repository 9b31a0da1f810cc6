"""A scripted upstream on a real socket: a twin service or a model server.

A request waits until the test answers it, unless its path has a prepared answer:

    call = upstream.next_call().start_stream()
    call.delta("Hello")
    call.complete()

`delta` and `complete` write the protocol of the path: OpenAI's chat completions, or the events of
the Twin Service Interface.
"""

from __future__ import annotations

import itertools
import json
import queue
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from tests.support.connection import WAIT_SECONDS, Connection

UPSTREAM_KEY = "canary-key-5f2c9e"
CHAT_COMPLETIONS_PATH = "/v1/chat/completions"

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


class Call(Connection):
    """A request to the upstream; the test sends the response.

    `Connection` provides the byte level: heads, chunks, resets, disconnects.
    """

    def __init__(self, handler: BaseHTTPRequestHandler, body: Any) -> None:
        super().__init__(handler)
        self.method = handler.command
        self.path = handler.path
        self.headers = dict(handler.headers)
        self.body = body
        self._is_completion = self.path.endswith("/chat/completions")

    def respond(self, status: int, body: Any = None, **headers: str) -> None:
        """Send a complete response: bytes as they are, anything else as JSON."""
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_head(status, **{"content_type": "application/json", **headers})
        self.send_bytes(data)
        self.close()

    def start_stream(self, **headers: str) -> Self:
        """Send the status and headers of an event stream."""
        self.send_head(200, content_type="text/event-stream", **headers)
        return self

    def delta(self, text: str) -> None:
        """Send a delta of the reply."""
        if self._is_completion:
            self.send_event(choices=[{"delta": {"content": text}, "finish_reason": None}])
        else:
            self.send_event(type="delta", content=text)

    def complete(self, text: str | None = None, *, finish_reason: str = "stop") -> None:
        """Send the end of a successful reply and close the connection.

        A twin service sends `text` as the final text; without `text`, the deltas are the reply.
        """
        if self._is_completion:
            self.send_event(choices=[{"delta": {}, "finish_reason": finish_reason}])
            self.send_bytes(b"data: [DONE]\n\n")
        else:
            self.send_event(type="complete", message=text if text is None else {"content": text})
        self.close()

    def send_event(self, **event: Any) -> None:
        """Send an event with this JSON object as its data."""
        self.send_bytes(f"data: {json.dumps(event)}\n\n".encode())


# A status and a body, or a function that answers the call.
Answer = tuple[int, Any] | Callable[[Call], Any]


class Upstream:
    """A scripted server.

    `calls` lists all requests so far. `answers` maps paths to answers, and `message_answer` answers
    every message to a twin. The twin list and new conversations have default answers, except for
    paths in `unanswered_paths`.
    """

    def __init__(self, server: ThreadingHTTPServer) -> None:
        self._server = server
        self.url = f"http://127.0.0.1:{server.server_address[1]}"
        self.calls: list[Call] = []
        self.answers: dict[str, Answer] = {}
        self.message_answer: Answer | None = None
        self.unanswered_paths: set[str] = set()
        self.twins: list[dict[str, Any]] = TWINS
        self._pending_calls: queue.SimpleQueue[Call] = queue.SimpleQueue()
        self._conversation_numbers = itertools.count(1)

    def next_call(self) -> Call:
        """Return the next request that waits for an answer."""
        return self._pending_calls.get(timeout=WAIT_SECONDS)

    def reply(self, *deltas: str) -> Call:
        """Answer the next request with a complete reply and return its call."""
        call = self.next_call()
        send_reply(call, *deltas)
        return call

    def always_reply(self, *deltas: str) -> None:
        """Answer every chat completion with this reply."""
        self.answers[CHAT_COMPLETIONS_PATH] = lambda call: send_reply(call, *deltas)

    def sent_messages(self) -> list[str]:
        """Return the content of the messages sent to twins, in order."""
        posts = (call for call in self.calls if call.method == "POST")
        return [call.body["content"] for call in posts if "messages" in call.path]

    def close_calls(self) -> None:
        """Close the connections of all calls."""
        for call in self.calls:
            call.close()

    def stop(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()

    def handle(self, call: Call) -> None:
        """Answer a request, or queue it for the test."""
        self.calls.append(call)
        answer = self._answer_to(call)
        if callable(answer):
            answer(call)
        elif answer:
            call.respond(*answer)
        else:
            self._pending_calls.put(call)
            call.wait_until_closed()

    def _answer_to(self, call: Call) -> Answer | None:
        path = call.path.partition("?")[0]
        if path in self.unanswered_paths:
            return None
        if path in self.answers:
            return self.answers[path]
        if call.method == "GET" and path == "/api/v1/twins":
            return 200, {"data": self.twins, "pagination": {"page": 1, "pages": 1}}
        if call.method == "POST" and path == "/api/v1/conversations":
            return 201, {"data": {"id": f"up-{next(self._conversation_numbers)}", **call.body}}
        return self.message_answer if path.endswith("/messages/stream") else None


def send_reply(call: Call, *deltas: str) -> None:
    """Answer a message with a complete reply."""
    call.start_stream()
    for text in deltas or ("Hello",):
        call.delta(text)
    call.complete()
