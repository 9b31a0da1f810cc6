"""The server under many connections and malformed requests: reachable, with a quiet log."""

from __future__ import annotations

import os
import resource
import signal
import socket
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path

import pytest
import requests

from tests.support.html import parse_html, text_in
from tests.support.person import Person
from tests.support.processes import ServerProcess, run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream
from tests.support.waiting import wait_until

pytestmark = pytest.mark.usefixtures("processes")

REQUEST = b"GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n"
INCOMPLETE_REQUEST = b"GET /livez HTTP/1.1\r\n"
FIELD_OF_8_KB = b"X-Large: " + b"x" * 8_000 + b"\r\n"
CHUNKED_HEAD = (
    b"POST /preferences HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\n"
)
OVERSIZED_HEADS = [
    b"GET /livez?" + b"x" * 41_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 1_000 + b"\r\n",
    b"GET /livez HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 82_000 + b"\r\n\r\n",
]
MALFORMED_BODIES = [b"zz\r\nabc\r\n", b"-1\r\nabc\r\n0\r\n\r\n", b"5\r\nhelloXX0\r\n\r\n"]
SCRIPT = """
from gevent import monkey
monkey.patch_all()
import resource, runpy
from twindow.core.server.gunicorn_server import Worker
{preparation}
runpy.run_path("app.py", run_name="__main__")
"""


@contextmanager
def run_prepared_server(data: Path, preparation: str) -> Iterator[ServerProcess]:
    script = SCRIPT.format(preparation=preparation)
    remote = {"API_URL": "http://127.0.0.1:1", "API_KEY": "any"}
    with run_server(data, "-c", script, **remote) as server:
        yield server


def open_connection(server: ServerProcess) -> socket.socket:
    port = int(server.url.rpartition(":")[2])
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def is_ready(server: ServerProcess) -> bool:
    try:
        return requests.get(f"{server.url}/readyz", timeout=20).status_code == 200
    except requests.ConnectionError:  # the server closed the connection early
        return False


def receive_status(connection: socket.socket) -> int:
    """Send a request and read the whole response; return its status."""
    connection.sendall(REQUEST)
    response = HTTPResponse(connection)
    response.begin()
    response.read()
    return response.status


@pytest.mark.limit("L52")
def test_connection_whose_first_or_later_request_stays_incomplete_is_closed(
    tmp_path: Path,
):
    limits = (
        "from twindow.core.server import gunicorn_server; gunicorn_server.HEADER_SECONDS = 2\n"
        "resource.setrlimit(resource.RLIMIT_NOFILE, (128, 500))"
    )
    with (
        run_prepared_server(tmp_path, limits) as server,
        open_connection(server) as new,
        open_connection(server) as kept,
    ):
        assert [receive_status(kept), receive_status(kept)] == [200, 200]
        for connection in (new, kept):
            connection.sendall(INCOMPLETE_REQUEST)

        assert [kept.recv(1000), new.recv(1000)] == [b"", b""]
        # The server has raised its soft limit of descriptors to the hard limit.
        [worker] = server.worker_pids
        assert resource.prlimit(worker, resource.RLIMIT_NOFILE) == (500, 500)


@pytest.mark.limit("L55")
def test_connections_near_the_limit_are_refused_without_a_traceback(tmp_path: Path):
    limit = "resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))"
    with run_prepared_server(tmp_path, limit) as server:
        with ExitStack() as stack:
            for _ in range(85):
                stack.enter_context(open_connection(server)).sendall(INCOMPLETE_REQUEST)
            refusals = [stack.enter_context(open_connection(server)).recv(1000) for _ in range(50)]
            for _ in range(9 * 85):
                with open_connection(server) as connection:
                    refusals.append(connection.recv(1000))
        wait_until(lambda: is_ready(server))
        server.process.terminate()
        output = server.read_output()

    assert {refusal.partition(b"\r\n")[0] for refusal in refusals} == {
        b"HTTP/1.1 503 Service Unavailable"
    }
    assert "Traceback" not in output
    assert output.count("Refusing connections: 85 are open.") == 1


def status_of(server: ServerProcess, request: bytes) -> bytes:
    """Return the status of the response, or b"" if the connection is reset."""
    with open_connection(server) as client, suppress(ConnectionError):
        client.sendall(request)
        return client.makefile("rb").read().split()[1]
    return b""


def test_malformed_incomplete_and_oversized_requests_are_refused_in_a_quiet_log(tmp_path: Path):
    with run_prepared_server(tmp_path, "Worker.body_timeout_seconds = 1") as server:
        statuses = [status_of(server, CHUNKED_HEAD + body) for body in MALFORMED_BODIES]
        status_of_incomplete_body = status_of(server, CHUNKED_HEAD + b"5\r\nhello\r\n")
        statuses_of_heads = [status_of(server, head) for head in OVERSIZED_HEADS]
        # A head of 40 KB arrives completely, so the response is not lost.
        large_head = CHUNKED_HEAD[:-2] + FIELD_OF_8_KB * 5 + b"\r\n"
        status_of_large_head = status_of(server, large_head)
        assert is_ready(server)
        server.stop(signal.SIGINT)
        log = server.read_output()

    assert statuses == [b"400"] * len(MALFORMED_BODIES)
    assert log.count("Malformed request body") == len(MALFORMED_BODIES)
    assert status_of_incomplete_body == b"400"
    # A reset connection also counts as a rejection.
    assert {status[:1] for status in statuses_of_heads} <= {b"4", b""}
    assert status_of_large_head == b"431"
    assert "Traceback" not in log


@pytest.mark.skipif(not hasattr(socket, "TCP_USER_TIMEOUT"), reason="needs Linux")
@pytest.mark.limit("L54")
def test_client_that_does_not_read_is_disconnected(tmp_path: Path):
    with run_prepared_server(tmp_path, "Worker.write_timeout_seconds = 0.5") as server:
        page = requests.get(server.url, timeout=20)
        [style, *_] = parse_html(page.text).select("link[rel=stylesheet]")
        request = f"GET {style['href']} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        with open_connection(server) as client, pytest.raises(ConnectionError):
            while True:
                client.sendall(request)
        assert is_ready(server)
        server.process.terminate()
        output = server.read_output()

    assert "Traceback" not in output


@pytest.mark.fault("F72")
def test_replies_end_at_once_when_the_main_process_is_killed(tmp_path: Path, upstream: Upstream):
    service = {"API_URL": upstream.url, "API_KEY": UPSTREAM_KEY}
    with closing(Person("")) as alice:
        with run_server(tmp_path, "app.py", **service) as server:
            alice.base_url = server.url
            page = alice.start_conversation("Tell me")
            call = upstream.next_call().start_stream()
            with alice.follow(str(page.turns[0]["data-turn"])) as stream:
                call.delta("Last words")
                stream.read_until("Last words")
                server.process.kill()
                frames = stream.remaining_events()
            server.read_output()  # this call blocks until the worker has ended
        with run_server(tmp_path, "app.py", **service) as server:
            alice.base_url = server.url
            page = alice.get(page.path)

    assert frames[-1].name in ("reconnect", "done")
    assert page.reply_states == ["interrupted"]
    assert text_in(page.turns[0], ".turn__reply") == "Last words"
    assert "the server is restarting" in text_in(page.turns[0], ".note")


def test_server_stays_until_a_new_worker_can_open_the_database(tmp_path: Path):
    database, moved = tmp_path / "portal.db", tmp_path / "moved"
    pause = "from twindow.core.server import gunicorn_server as server; server.RETRY_SECONDS = 0.1"
    with run_prepared_server(tmp_path, pause) as server:
        database.rename(moved)
        database.mkdir()
        for worker in server.worker_pids:
            os.kill(worker, signal.SIGKILL)
        wait_until(lambda: "cannot start yet" in "".join(server.output))
        database.rmdir()
        moved.rename(database)

        server.wait_until_ready()
