"""A service that cannot be reached, or that never starts to respond."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.faults.conftest import MESSAGE, NOT_SENT, SendMessage, assert_outcome, observe_reply
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.processes import free_port
from tests.support.upstream import Call, Upstream

UNREACHABLE = "The twin service can't be reached."


@pytest.fixture
def leads_to(monkeypatch: pytest.MonkeyPatch, upstream: Upstream) -> Callable[[Any], None]:
    """Return a function that makes the service's address resolve to another port, or fail."""
    real, there = socket.getaddrinfo, int(upstream.url.rpartition(":")[2])

    def leads_to(where: int | OSError) -> None:
        def resolve(host: Any, port: Any, *more: Any, **named: Any) -> Any:
            if port == there and isinstance(where, OSError):
                raise where
            return real(host, where if port == there else port, *more, **named)

        monkeypatch.setattr(socket, "getaddrinfo", resolve)

    return leads_to


@pytest.fixture
def full_port() -> Iterator[int]:
    """Return a port that accepts no connections, because its backlog is full."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for each in waiting:
            each.settimeout(0)
            each.connect_ex(server.getsockname())
        yield server.getsockname()[1]
        for each in waiting:
            each.close()


@pytest.fixture
def hurried(settings: dict[str, Any]) -> None:
    settings["api_timeout"] = 0.3


@pytest.mark.fault("F41")
@pytest.mark.usefixtures("hurried")
@pytest.mark.limit("L20")
def test_unreachable_service_leaves_the_message_unsent(
    alice: Person, upstream: Upstream, leads_to: Callable[[Any], None], full_port: int
):
    alice.get("/twins/ada")

    def check(where: int | OSError) -> None:
        leads_to(where)
        seen = observe_reply(alice, upstream, alice.start_conversation(MESSAGE))
        assert_outcome(seen, "failed", UNREACHABLE, NOT_SENT, sent_messages=[])
        assert "may have received" not in seen.note

    cases: dict[str, int | OSError] = {
        "unknown name": socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
        "no connection": full_port,
        "refused": free_port(),
    }
    assert failures(check, cases) == {}


@pytest.mark.fault("F38")
@pytest.mark.usefixtures("hurried")
def test_reply_times_out_if_the_response_headers_arrive_too_slowly(send_message: SendMessage):
    def act(call: Call) -> None:
        call.send_bytes(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        call.send_until_disconnect(b"x")

    assert_outcome(
        send_message(act), "failed", "The twin service didn't respond in time.", "may have received"
    )
