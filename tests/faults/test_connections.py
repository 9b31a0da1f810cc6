"""A service that cannot be reached, or that never begins to answer."""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.faults.conftest import NOT_SENT, WORDS, Hear, look, promised
from tests.support.person import Page, Person
from tests.support.upstream import Call, Upstream

UNREACHABLE = "The service cannot be reached."


@pytest.fixture
def leads_to(monkeypatch: pytest.MonkeyPatch, upstream: Upstream) -> Callable[[Any], None]:
    """Let the way to the service lead to another port, or fail."""
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
    """Give a port that answers nobody: its queue is full."""
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
    settings.update(api_connect_timeout=0.2, api_answer_timeout=0.3)


def say_without_service(alice: Person, upstream: Upstream, form: Page) -> None:
    seen = look(alice, upstream, alice.press(form, "Send", content=WORDS))

    promised(seen, "failed", UNREACHABLE, NOT_SENT, sent=[])
    assert "may have received" not in seen.note


@pytest.mark.fault("F41")
def test_a_refused_connection_is_told_with_the_message_unsent(alice: Person, upstream: Upstream):
    form = alice.get("/twins/ada")
    upstream.stop()

    say_without_service(alice, upstream, form)


@pytest.mark.fault("F41")
def test_a_name_that_is_not_known_is_told_with_the_message_unsent(
    alice: Person, upstream: Upstream, leads_to
):
    form = alice.get("/twins/ada")
    leads_to(socket.gaierror(socket.EAI_NONAME, "Name or service not known"))

    say_without_service(alice, upstream, form)


@pytest.mark.fault("F41")
@pytest.mark.usefixtures("hurried")
def test_a_connection_that_never_comes_is_told_with_the_message_unsent(
    alice: Person, upstream: Upstream, leads_to, full_port: int
):
    form = alice.get("/twins/ada")
    leads_to(full_port)

    say_without_service(alice, upstream, form)


@pytest.mark.fault("F38")
@pytest.mark.usefixtures("hurried")
def test_a_head_that_trickles_in_is_given_up(hear: Hear):
    def act(call: Call) -> None:
        call.send_bytes(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        call.send_until_disconnect(b"x")

    promised(hear(act), "failed", "The service does not answer in time.", "may have received")
