"""No resources leak when a reader, the service or *Stop* aborts a stream."""

from __future__ import annotations

import socket
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.faults.conftest import text_in
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.processes import ServerProcess, run_portal
from tests.support.upstream import Call, Upstream
from tests.support.waiting import poll_until, wait_until
from tools.probes import count_running_replies, proc_status, select_rows
from web.container import Portal

pytestmark = pytest.mark.settings(limits="none")

# A disconnected reader is noticed within several keep-alives, which are three seconds apart.
NOTICED_SECONDS = 15
BATCH = 100


def count_open_resources(pid: int) -> Counter[str]:
    """Count the open file descriptors of a process by kind, and its threads."""
    kinds: Counter[str] = Counter(threads=proc_status(pid, "Threads"))
    for file in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(FileNotFoundError):
            kinds[str(file.readlink()).partition(":")[0]] += 1
    return kinds


class RepeatedActions:
    """One person who repeats each action many times."""

    def __init__(self, person: Person, upstream: Upstream, data: Path) -> None:
        self.person = person
        self.upstream = upstream
        self.data = data
        form = person.get("/twins/ada")
        self._action, self._fields = form.button_action("Send")
        self._number = 0

    def begin(self) -> tuple[str, Call]:
        """Start a conversation; return the id of its turn and the call to the service."""
        self._number += 1
        self._post(self._action, content=f"words {self._number}")
        [[turn_id]] = select_rows(
            self.data, "SELECT id FROM turns ORDER BY created_at DESC LIMIT 1"
        )
        return str(turn_id), self.upstream.next_call()

    def _post(self, path: str, **more: str) -> None:
        url, fields = self.person.base_url + path, self._fields | more
        answer = self.person.session.post(url, data=fields, allow_redirects=False, timeout=10)
        assert answer.status_code == 303

    def _read_a_bit(self, turn_id: str) -> socket.socket:
        """Open the event stream of a reply and read its first byte."""
        host, port = self.person.base_url.removeprefix("http://").split(":")
        reader = socket.create_connection((host, int(port)), timeout=10)
        cookie = "; ".join(f"{c.name}={c.value}" for c in self.person.session.cookies)
        head = f"GET /turns/{turn_id}/events HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n"
        reader.sendall(head.encode())
        assert reader.recv(1) == b"H"
        return reader

    def leave(self, turn_id: str, readers: int) -> None:
        """Open the stream of a reply `readers` times, and close each one before the end."""
        for begun in range(0, readers, BATCH):
            for reader in [self._read_a_bit(turn_id) for _ in range(begun, begun + BATCH)]:
                reader.close()

    def hang_up(self, times: int) -> None:
        """Make the service abort `times` replies: it closes or resets the connection."""
        for number in range(times):
            _, call = self.begin()
            if number % 3:
                call.start_stream().delta("Half")
            if number % 3 == 2:
                call.reset()
            call.close()
            # A busy process notices it later. Too many running replies would be refused.
            wait_until(lambda: count_running_replies(self.data) <= 1, NOTICED_SECONDS)

    def stop(self, times: int) -> None:
        """Stop `times` replies; five of them run at the same time."""
        for _ in range(times // 5):
            running = [self.begin() for _ in range(5)]
            for _, call in running:
                call.start_stream().delta("Half")
            for turn_id, call in running:
                self._post(f"/turns/{turn_id}/cancellation")
                assert call.wait_for_disconnect()
                call.close()


@pytest.fixture
def server(processes: None, tmp_path: Path, upstream: Upstream) -> Iterator[ServerProcess]:
    with run_portal(tmp_path / "data", upstream.url) as server:
        yield server
    assert "Traceback" not in "".join(server.output)


def test_hundreds_of_aborted_streams_leak_no_sockets_or_files(
    server: ServerProcess, upstream: Upstream, tmp_path: Path
):
    [worker] = server.worker_pids
    person = Person(server.url)
    complete_first_turn(person, upstream, "one", "1")
    crowd = RepeatedActions(person, upstream, tmp_path / "data")
    before = count_open_resources(worker)

    turn_id, call = crowd.begin()
    call.start_stream().delta("It goes on")
    crowd.leave(turn_id, 2 * BATCH)
    crowd.hang_up(30)
    crowd.stop(30)

    # The reply still runs; its next deltas or heartbeats detect that the readers disconnected.
    running = before + Counter(socket=1)
    for _ in range(2):
        call.delta(" and on")
    assert poll_until(lambda: count_open_resources(worker) <= running, NOTICED_SECONDS), (
        count_open_resources(worker) - running
    )
    call.complete("It is over")
    assert poll_until(lambda: count_open_resources(worker) <= before, NOTICED_SECONDS), (
        count_open_resources(worker) - before
    )
    wait_until(lambda: count_running_replies(tmp_path / "data") == 0, NOTICED_SECONDS)
    person.close()


@pytest.fixture
def quick(portal: Portal) -> None:
    portal.log.keepalive_seconds = 0.1


@pytest.mark.usefixtures("quick")
def test_aborted_streams_leak_no_threads(alice: Person, upstream: Upstream, tmp_path: Path):
    complete_first_turn(alice, upstream, "one", "1")
    crowd = RepeatedActions(alice, upstream, tmp_path / "data")
    crowd.hang_up(1)
    before = threading.active_count()

    turn_id, call = crowd.begin()
    call.start_stream().delta("It goes on")
    crowd.leave(turn_id, BATCH)
    crowd.hang_up(15)
    crowd.stop(15)

    # Two threads remain: the worker of the running reply, and one of the scripted service.
    wait_until(lambda: threading.active_count() <= before + 2, NOTICED_SECONDS)
    call.complete("It is over")
    wait_until(lambda: threading.active_count() <= before, NOTICED_SECONDS)


@pytest.fixture
def hurried(settings: dict[str, Any]) -> None:
    settings["api_timeout"] = 0.3


@pytest.mark.usefixtures("hurried", "quick")
def test_reply_without_readers_still_times_out(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Is somebody there?")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        call.delta("Half")
        stream.read_until("Half")

    assert call.wait_for_disconnect()

    page = wait_for_reply(alice, page)
    assert page.reply_states == ["interrupted"]
    assert text_in(page.turns[0], ".turn__reply") == "Half"
    assert "The reply timed out." in text_in(page.turns[0], ".note")
