"""Models, providers and clients that are hostile or faulty."""

from __future__ import annotations

import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import msgspec
import pytest
import requests

from tests.service.client import ApiClient
from tests.support.processes import run_server
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream
from twindow.service.container import Container
from twindow.service.llm import completion_stream as models


def test_split_surrogate_pairs_are_joined_and_lone_surrogates_replaced(
    api: ApiClient, model: Upstream
):
    table = [
        (["a\\ud83d", "\\ude00b"], "a\U0001f600b"),
        (["a\\ud83d", "b"], "a\ufffdb"),
        (["a\\ude00b"], "a\ufffdb"),
        (["a\\u0000b"], "a\ufffdb"),
    ]
    seen = []
    for pieces, _ in table:
        model.answers[CHAT_COMPLETIONS_PATH] = lambda call, pieces=pieces: send(call, pieces)
        events = list(api.stream(api.create_conversation(), "Hello"))

        whole = events[-1]["message"]["content"]
        assert "".join(event.get("content", "") for event in events) == whole
        seen.append((pieces, whole))
    assert seen == table


def send(call: Call, pieces: list[str]) -> None:
    """Send each piece as a delta, without escaping it for JSON."""
    call.start_stream()
    for piece in pieces:
        call.send_bytes(
            f'data: {{"choices": [{{"delta": {{"content": "{piece}"}}}}]}}\n\n'.encode()
        )
    call.complete()


def test_endless_reply_is_truncated_and_stored_as_incomplete(
    api: ApiClient, model: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(models, "MAX_REPLY_CHARACTERS", 1000)
    conversation_id = api.create_conversation()
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(conversation_id, "Hello"))
        call = model.next_call().start_stream()
        with suppress(OSError):
            for _ in range(100):
                call.delta("x" * 100)
        assert call.wait_for_disconnect()
        assert events.result(10)[-1]["error"] == "The reply was too long and was cut off."

    kept = api.history(conversation_id)[-1]
    assert (len(kept["content"]), kept["status"]) == (1000, "incomplete")


def test_model_that_sends_only_heartbeats_times_out(
    api: ApiClient, model: Upstream, container: Container
):
    container.model._settings = msgspec.structs.replace(container.settings, model_timeout=0.3)
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
        model.next_call().start_stream().send_until_disconnect()

        assert events.result(10)[-1]["code"] == "model_failed"


@pytest.fixture(scope="module")
def alone(processes: None, tmp_path_factory: pytest.TempPathFactory):
    """Run the service in a process as in production, and return its URL."""
    with run_server(tmp_path_factory.mktemp("data"), "-m", "twindow.service") as server:
        yield server.url


def test_request_headers_cannot_change_the_base_path(alone: str):
    for headers in ({"SCRIPT_NAME": "/zzz"}, {"SCRIPT_NAME": "/api"}, {"PATH_INFO": "/nowhere"}):
        answer = requests.get(f"{alone}/api/v1/openapi.json", headers=headers, timeout=10)

        assert answer.json()["servers"] == [{"url": "/api/v1"}]


def test_pipelined_requests_on_one_connection_do_not_block_others(alone: str):
    """Pipeline requests on one connection until a request on another connection is answered."""
    requests_at_once = b"GET /api/v1/nowhere HTTP/1.1\r\nHost: x\r\n\r\n" * 50
    answering = threading.Event()

    def send(client: socket.socket) -> None:
        with suppress(OSError):
            while True:
                client.sendall(requests_at_once)

    def read(client: socket.socket) -> None:
        with suppress(OSError):
            while client.recv(1 << 20):
                answering.set()

    address = ("127.0.0.1", int(alone.rpartition(":")[2]))
    with socket.create_connection(address, 10) as client, ThreadPoolExecutor(2) as pool:
        pool.submit(send, client)
        pool.submit(read, client)
        try:
            assert answering.wait(10)
            assert requests.get(f"{alone}/healthz", timeout=10).status_code == 200
        finally:
            client.shutdown(socket.SHUT_RDWR)
