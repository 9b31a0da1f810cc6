"""A model server whose words the test writes, and a client of the service as plain as can be."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import requests

import sse
from tests.upstream import Call, Upstream


class Model:
    """The model server: the test writes what it says."""

    def __init__(self, upstream: Upstream) -> None:
        self.upstream = upstream

    def next_call(self) -> Call:
        """Return the next request for a reply."""
        return self.upstream.next_call()

    @staticmethod
    def piece(call: Call, text: str) -> None:
        """Write a piece."""
        chunk = {"choices": [{"delta": {"content": text}, "finish_reason": None}]}
        call.raw(f"data: {json.dumps(chunk)}\n\n".encode())

    @staticmethod
    def done(call: Call, reason: str = "stop") -> None:
        """Write the end."""
        chunk = {"choices": [{"delta": {}, "finish_reason": reason}]}
        call.raw(f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n".encode())
        call.finish()

    def say(self, *pieces: str) -> Call:
        """Answer the next request with these pieces."""
        call = self.next_call().begin()
        for piece in pieces:
            self.piece(call, piece)
        self.done(call)
        return call

    def always(self, *pieces: str) -> None:
        """Answer every request with these pieces."""

        def answer(call: Call) -> None:
            call.begin()
            for piece in pieces:
                self.piece(call, piece)
            self.done(call)

        self.upstream.answers["/v1/chat/completions"] = answer


class Api:
    """A client of the service, as plain as can be."""

    def __init__(self, url: str, key: str | None) -> None:
        self.url = url + "/api/v1"
        self.session = requests.Session()
        self.session.trust_env = False
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def get(self, path: str, **parts: Any) -> requests.Response:
        """Read."""
        return self._send("GET", path, **parts)

    def post(self, path: str, **parts: Any) -> requests.Response:
        """Write."""
        return self._send("POST", path, **parts)

    def delete(self, path: str, **parts: Any) -> requests.Response:
        """Take away."""
        return self._send("DELETE", path, **parts)

    def _send(self, method: str, path: str, **parts: Any) -> requests.Response:
        headers = parts.pop("headers", self.headers)
        return self.session.request(method, self.url + path, headers=headers, timeout=10, **parts)

    def converse(self) -> str:
        """Begin a conversation and return its id."""
        return str(self.post("/conversations", json={"twinId": "ada"}).json()["data"]["id"])

    def stream(
        self, conversation: str, content: str, headers: Mapping[str, str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Send a message and return the events of its reply."""
        path = f"/conversations/{conversation}/messages/stream"
        headers = self.headers | dict(headers or {})
        response = self.post(path, json={"content": content}, headers=headers, stream=True)
        assert response.status_code == 200, response.text
        assert response.headers["Content-Type"].startswith("text/event-stream")

        for event in sse.read(self.chunks(response)):
            yield json.loads(event.data)

    @staticmethod
    def chunks(response: requests.Response) -> Iterator[bytes]:
        """Yield what comes, as it comes."""
        while chunk := response.raw.read1(65536):
            yield chunk
