"""Models, providers and clients that mean no good, or just went wrong."""

from __future__ import annotations

import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import msgspec
import pytest
import requests

from database import DatabaseUnavailable
from service import model as models
from service.current import Parts
from tests.service.client import Api
from tests.support.processes import running
from tests.support.upstream import Upstream


@pytest.mark.parametrize(
    ("pieces", "whole"),
    [
        (["a\\ud83d", "\\ude00b"], "a\U0001f600b"),
        (["a\\ud83d", "b"], "a\ufffdb"),
        (["a\\ude00b"], "a\ufffdb"),
        (["a\\u0000b"], "a\ufffdb"),
    ],
    ids=["two halves", "first half", "second half", "NUL"],
)
def test_halves_of_characters_are_joined_or_replaced(
    api: Api, model: Upstream, pieces: list[str], whole: str
):
    talk = api.converse()
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(talk, "Hello"))
        call = model.next_call().start_stream()
        for piece in pieces:
            chunk = f'data: {{"choices": [{{"delta": {{"content": "{piece}"}}}}]}}\n\n'
            call.send_bytes(chunk.encode())
        call.complete()
        told = events.result(10)

    assert told[-1]["message"]["content"] == whole
    assert "".join(event.get("content", "") for event in told) == whole


def test_a_reply_that_goes_on_for_ever_is_cut_off_and_kept(
    api: Api, model: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(models, "MAX_CHARACTERS", 1000)
    talk = api.converse()
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(talk, "Hello"))
        call = model.next_call().start_stream()
        for _ in range(11):
            call.delta("x" * 100)
        assert call.wait_for_disconnect()
        assert events.result(10)[-1]["error"] == "The reply was too long, and was cut off."

    kept = api.get(f"/conversations/{talk}/messages").json()["data"][-1]
    assert (len(kept["content"]), kept["status"]) == (1000, "incomplete")


def test_a_model_that_only_says_that_it_lives_is_given_up(api: Api, model: Upstream, parts: Parts):
    parts.model._settings = msgspec.structs.replace(parts.settings, model_timeout=0.3)
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.converse(), "Hello"))
        model.next_call().start_stream().send_until_disconnect()

        assert events.result(10)[-1]["code"] == "model_failed"


def test_a_repeat_of_what_failed_waits_for_no_other_reply(api: Api, model: Upstream):
    talk = api.converse()
    path = f"/conversations/{talk}/messages"
    once = api.headers | {"Idempotency-Key": "one"}
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(api.post, path, json={"content": "Hello"}, headers=once)
        model.next_call().respond(500, {})
        assert first.result(10).status_code == 502
        other = pool.submit(list, api.stream(talk, "Another"))
        call = model.next_call()

        again = api.post(path, json={"content": "Hello"}, headers=once)

        assert (again.status_code, again.json()["code"]) == (409, "still_replying")
        call.start_stream().delta("Hi")
        call.complete()
        assert other.result(10)[-1]["type"] == "complete"


def test_a_reply_that_ends_while_the_database_is_away_is_stored_when_it_is_back(
    api: Api, model: Upstream, parts: Parts, monkeypatch: pytest.MonkeyPatch
):
    store, refused = parts.messages.reply, []

    def away(*arguments: object, **more: object) -> object:
        if len(refused) < 3:
            refused.append(arguments)
            raise DatabaseUnavailable
        return store(*arguments, **more)

    monkeypatch.setattr(parts.messages, "reply", away)
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(api.converse(), "Hello"))
        model.reply("Not lost")

        assert events.result(10)[-1]["message"]["content"] == "Not lost"
    assert len(refused) == 3


def test_a_twin_of_the_far_future_harms_no_other(api: Api, parts: Parts):
    late = parts.twins.folder / "late.md"
    late.write_text("---\nname: Late\n---\n")
    os.utime(late, (2**38, 2**38))

    assert {twin["id"] for twin in api.get("/twins").json()["data"]} == {"ada", "late"}


@pytest.fixture(scope="module")
def alone(processes: None, tmp_path_factory: pytest.TempPathFactory):
    """Run the service as it is run."""
    with running(tmp_path_factory.mktemp("data"), "-m", "service") as server:
        yield server.url


@pytest.mark.parametrize(
    "body", [b"zz\r\nhello\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n", b"-1\r\n\r\n"], ids=str
)
def test_a_body_that_is_framed_wrongly_is_no_fault_of_ours(alone: str, body: bytes):
    with socket.create_connection(("127.0.0.1", int(alone.rpartition(":")[2])), 10) as client:
        client.sendall(
            b"POST /api/v1/conversations HTTP/1.1\r\nHost: x\r\nX-API-Key: none\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" + body
        )
        assert client.recv(1000).split()[1] in (b"400", b"401")


def test_nobody_moves_the_site_by_a_header(alone: str):
    for headers in ({"SCRIPT_NAME": "/zzz"}, {"SCRIPT_NAME": "/api"}, {"PATH_INFO": "/nowhere"}):
        answer = requests.get(f"{alone}/api/v1/openapi.json", headers=headers, timeout=10)

        assert answer.json()["servers"] == [{"url": "/api/v1"}]


@pytest.mark.parametrize("host", ["xn--a", "a b", "x" * 300, "[::1", "%00"])
def test_a_host_that_is_none_is_no_fault_of_ours(alone: str, host: str):
    for path in ("docs", "openapi.json", "twins"):
        answer = requests.get(f"{alone}/api/v1/{path}", headers={"Host": host}, timeout=10)

        assert answer.status_code in (200, 400, 401)


def test_one_connection_that_never_pauses_does_not_hold_up_others(alone: str):
    """Its requests are there before they are asked for (pipelining)."""
    request = b"GET /api/v1/nowhere HTTP/1.1\r\nHost: x\r\n\r\n"
    port = int(alone.rpartition(":")[2])
    with (
        socket.create_connection(("127.0.0.1", port), 10) as client,
        ThreadPoolExecutor(2) as pool,
    ):
        flood = pool.submit(lambda: [client.sendall(request * 50) for _ in range(60)])
        reading = pool.submit(lambda: _read(client, 3000))
        first = requests.get(f"{alone}/healthz", timeout=10).status_code
        assert not reading.done(), "the others came after all of it"
        assert first == 200
        flood.result(30)
        reading.result(30)


def _read(client: socket.socket, answers: int) -> None:
    seen = b""
    while seen.count(b"HTTP/1.1 ") < answers:
        seen += client.recv(1 << 20)


def test_what_is_being_stored_as_the_service_ends_is_stored(
    api: Api, model: Upstream, parts: Parts, monkeypatch: pytest.MonkeyPatch
):
    store, begun, go = parts.messages.reply, threading.Event(), threading.Event()

    def slowly(*arguments: object, **more: object) -> object:
        begun.set()
        go.wait(10)
        return store(*arguments, **more)

    monkeypatch.setattr(parts.messages, "reply", slowly)
    talk = api.converse()
    with ThreadPoolExecutor(2) as pool:
        events = pool.submit(list, api.stream(talk, "Hello"))
        model.reply("Not lost")
        assert begun.wait(10)
        closing = pool.submit(parts.replies.close)
        go.set()
        closing.result(10)
        kept = parts.messages.of(talk)[0][-1]
        events.result(10)

    assert (kept.content, kept.complete) == ("Not lost", True)
