"""HTTP client for the tests of the service."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import requests

from twindow.core import sse


class ApiClient:
    """Client of the API that authenticates with one key; without a key it sends no credential."""

    def __init__(self, url: str, key: str | None) -> None:
        self.url = url + "/api/v1"
        self.session = requests.Session()
        self.session.trust_env = False
        self.headers = {"Authorization": f"Bearer {key}"} if key else {}

    def get(self, path: str, **options: Any) -> requests.Response:
        """Send a GET request."""
        return self._send("GET", path, **options)

    def post(self, path: str, **options: Any) -> requests.Response:
        """Send a POST request."""
        return self._send("POST", path, **options)

    def delete(self, path: str, **options: Any) -> requests.Response:
        """Send a DELETE request."""
        return self._send("DELETE", path, **options)

    def _send(self, method: str, path: str, **options: Any) -> requests.Response:
        headers = options.pop("headers", self.headers)
        return self.session.request(method, self.url + path, headers=headers, timeout=10, **options)

    def create_conversation(self, twin: str = "ada") -> str:
        """Create a conversation with a twin and return its id."""
        return str(self.post("/conversations", json={"twinId": twin}).json()["data"]["id"])

    def send(
        self, conversation_id: str, content: str = "Hello", headers: Mapping[str, str] | None = None
    ) -> requests.Response:
        """Send a message, and return the response with the whole reply."""
        path = f"/conversations/{conversation_id}/messages"
        headers = self.headers | dict(headers or {})
        return self.post(path, json={"content": content}, headers=headers)

    def history(self, conversation_id: str) -> list[dict[str, Any]]:
        """Return the messages of a conversation."""
        return list(self.get(f"/conversations/{conversation_id}/messages").json()["data"])

    def begin_stream(
        self, conversation_id: str, content: str = "Hello", headers: Mapping[str, str] | None = None
    ) -> requests.Response:
        """Send a message, and return the response, whose body is the stream of the reply."""
        path = f"/conversations/{conversation_id}/messages/stream"
        headers = self.headers | dict(headers or {})
        return self.post(path, json={"content": content}, headers=headers, stream=True)

    def stream(
        self, conversation_id: str, content: str, headers: Mapping[str, str] | None = None
    ) -> Iterator[dict[str, Any]]:
        """Send a message and yield the events of its reply as decoded JSON objects."""
        response = self.begin_stream(conversation_id, content, headers)
        assert response.status_code == 200, response.text
        assert response.headers["Content-Type"].startswith("text/event-stream")
        yield from self.events(response)

    def events(self, response: requests.Response) -> Iterator[dict[str, Any]]:
        """Yield the events of a stream as decoded JSON objects."""
        for event in sse.read_events(self.chunks(response)):
            yield json.loads(event.data)

    @staticmethod
    def chunks(response: requests.Response) -> Iterator[bytes]:
        """Yield the body in chunks, each as soon as it arrives."""
        while chunk := response.raw.read1(65536):
            yield chunk
