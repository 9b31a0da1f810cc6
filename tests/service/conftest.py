"""The service on a real socket, with a scripted model behind it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import requests
from flask import Flask

import config
import sse
from database import Database, migrate
from service.application import MIGRATIONS, create_service, parts_of
from service.current import Parts
from service.line import Line
from service.places import Places
from tests import upstream as scripted
from tests.conftest import served
from tests.service.credentials import Credentials
from tests.service.guests import Come, NewLine, coming
from tests.upstream import Call, Upstream

TWIN = """---
name: Ada
description: Explains things.
greeting: Hello.
starters: [One, Two, Three]
examples:
  - said: What is one and one?
    reply: Two.
temperature: 0.2
max_tokens: 50
---
You are Ada.
"""


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
    def done(call: Call) -> None:
        """Write the end."""
        chunk = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
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


@pytest.fixture
def database(database_url: str) -> Iterator[Database]:
    database = Database(database_url)
    migrate(database, MIGRATIONS, "service_alembic_version")
    yield database
    database.close()


@pytest.fixture
def model() -> Iterator[Model]:
    with scripted.running() as upstream:
        yield Model(upstream)


@pytest.fixture
def service_settings(model: Model, tmp_path: Path) -> dict[str, Any]:
    twins = tmp_path / "twins"
    twins.mkdir()
    (twins / "ada.md").write_text(TWIN)
    return {
        "data_dir": tmp_path / "data",
        "twins_dir": twins,
        "model_url": model.upstream.url,
        "model": "scripted",
        "model_timeout": 5,
    }


@pytest.fixture
def new_service(service_settings: dict[str, Any]) -> Iterator[Callable[[], Flask]]:
    """Return the service in one more process with each call."""
    apps: list[Flask] = []

    def new_service() -> Flask:
        apps.append(create_service(config.load(service_settings)))
        return apps[-1]

    yield new_service
    for app in apps:
        parts_of(app).replies.close()
        parts_of(app).database.close()


@pytest.fixture
def service(new_service: Callable[[], Flask]) -> Flask:
    return new_service()


@pytest.fixture
def parts(service: Flask) -> Parts:
    return parts_of(service)


@pytest.fixture
def url(service: Flask) -> Iterator[str]:
    with served(service) as url:
        yield url


@pytest.fixture
def full_key(parts: Parts) -> str:
    return parts.keys.make("alice", "test", "full_access")[1]


@pytest.fixture
def read_key(parts: Parts) -> str:
    return parts.keys.make("alice", "test", "read_only")[1]


@pytest.fixture
def api(url: str, full_key: str) -> Iterator[Api]:
    api = Api(url, full_key)
    yield api
    api.session.close()


@pytest.fixture
def credentials(parts: Parts) -> Credentials:
    return Credentials(parts)


@pytest.fixture
def new_line(database_url: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[NewLine]:
    """Return the line as one more process has it with each call; leases last for the test."""
    monkeypatch.setattr("service.line.LOOK_SECONDS", 0.02)
    monkeypatch.setattr("service.places.LEASE_SECONDS", 600)
    databases: list[Database] = []

    def new_line(places: int) -> Line:
        databases.append(Database(database_url))
        migrate(databases[-1], MIGRATIONS, "service_alembic_version")
        return Line(Places(databases[-1], places))

    yield new_line
    for database in databases:
        database.close()


@pytest.fixture
def come(new_line: NewLine) -> Iterator[Come]:
    with coming() as come:
        yield come
