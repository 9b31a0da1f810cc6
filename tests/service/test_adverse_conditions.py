"""Models, providers and clients that are hostile or faulty."""

from __future__ import annotations

import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import msgspec
import pytest
import requests

from core.db.database import DatabaseUnavailable
from service.container import Container
from service.llm import completion_stream as models
from tests.service.client import ApiClient
from tests.support.processes import run_server
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call, Upstream


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

    kept = api.get(f"/conversations/{conversation_id}/messages").json()["data"][-1]
    assert (len(kept["content"]), kept["status"]) == (1000, "incomplete")


def test_model_that_sends_only_heartbeats_times_out(
    api: ApiClient, model: Upstream, container: Container
):
    container.model._settings = msgspec.structs.replace(container.settings, model_timeout=0.3)
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
        model.next_call().start_stream().send_until_disconnect()

        assert events.result(10)[-1]["code"] == "model_failed"


def test_repeat_of_a_failed_message_gets_409_while_another_reply_runs(
    api: ApiClient, model: Upstream
):
    conversation_id = api.create_conversation()
    path = f"/conversations/{conversation_id}/messages"
    once = api.headers | {"Idempotency-Key": "one"}
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(api.post, path, json={"content": "Hello"}, headers=once)
        model.next_call().respond(500, {})
        assert first.result(10).status_code == 502
        other = pool.submit(list, api.stream(conversation_id, "Another"))
        call = model.next_call()

        again = api.post(path, json={"content": "Hello"}, headers=once)

        assert (again.status_code, again.json()["code"]) == (409, "still_replying")
        call.start_stream().delta("Hi")
        call.complete()
        assert other.result(10)[-1]["type"] == "complete"


def test_reply_that_ends_during_a_database_outage_is_stored_afterwards(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    store, refused = container.messages.store_reply, []

    def away(*arguments: object, **more: object) -> object:
        if len(refused) < 3:
            refused.append(arguments)
            raise DatabaseUnavailable
        return store(*arguments, **more)

    monkeypatch.setattr(container.messages, "store_reply", away)
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.create_conversation(), "Hello"))
        model.reply("Not lost")

        assert events.result(10)[-1]["message"]["content"] == "Not lost"
    assert len(refused) == 3


def test_twin_file_dated_in_the_far_future_does_not_break_the_list(
    api: ApiClient, container: Container
):
    late = container.twins.folder / "late.md"
    late.write_text("---\nname: Late\n---\n")
    os.utime(late, (2**38, 2**38))

    assert {twin["id"] for twin in api.get("/twins").json()["data"]} == {"ada", "late"}


@pytest.fixture(scope="module")
def alone(processes: None, tmp_path_factory: pytest.TempPathFactory):
    """Run the service in a process as in production, and return its URL."""
    with run_server(tmp_path_factory.mktemp("data"), "-m", "service") as server:
        yield server.url


def test_malformed_chunked_bodies_are_client_errors(alone: str):
    for body in (b"zz\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"-1\r\n\r\n"):
        with socket.create_connection(("127.0.0.1", int(alone.rpartition(":")[2])), 10) as client:
            client.sendall(
                b"POST /api/v1/conversations HTTP/1.1\r\nHost: x\r\nX-API-Key: none\r\n"
                b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + body
            )
            assert client.recv(1000).split()[1] in (b"400", b"401"), body


def test_request_headers_cannot_change_the_base_path(alone: str):
    for headers in ({"SCRIPT_NAME": "/zzz"}, {"SCRIPT_NAME": "/api"}, {"PATH_INFO": "/nowhere"}):
        answer = requests.get(f"{alone}/api/v1/openapi.json", headers=headers, timeout=10)

        assert answer.json()["servers"] == [{"url": "/api/v1"}]


def test_invalid_host_headers_cause_no_server_error(alone: str):
    wrong = []
    for host in ("xn--a", "a b", "x" * 300, "[::1", "%00"):
        for path in ("openapi.json", "twins"):
            answer = requests.get(f"{alone}/api/v1/{path}", headers={"Host": host}, timeout=10)
            if answer.status_code not in (200, 400, 401):
                wrong.append((host, path, answer.status_code))
    assert wrong == []


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


def test_reply_being_stored_at_shutdown_is_not_lost(
    api: ApiClient, model: Upstream, container: Container, monkeypatch: pytest.MonkeyPatch
):
    store, begun, go = container.messages.store_reply, threading.Event(), threading.Event()

    def slowly(*arguments: object, **more: object) -> object:
        begun.set()
        go.wait(10)
        return store(*arguments, **more)

    monkeypatch.setattr(container.messages, "store_reply", slowly)
    conversation_id = api.create_conversation()
    with ThreadPoolExecutor(2) as pool:
        events = pool.submit(list, api.stream(conversation_id, "Hello"))
        model.reply("Not lost")
        assert begun.wait(10)
        closing = pool.submit(container.reply_manager.close)
        go.set()
        closing.result(10)
        kept = container.messages.list_page(conversation_id)[0][-1]
        events.result(10)

    assert (kept.content, kept.complete) == ("Not lost", True)
