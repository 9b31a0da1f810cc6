"""No resources leak when a reader, the service or *Stop* aborts a stream."""

from __future__ import annotations

import os
import socket
import threading
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.support.person import Person, complete_first_turn
from tests.support.processes import run_portal
from tests.support.upstream import Call, Upstream
from tests.support.waiting import poll_until, wait_until
from tools.probes import count_running_replies, proc_status, select_rows
from twindow.web.container import Portal

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

    def leave(self, turn_id: str) -> None:
        """Open the stream of a reply `BATCH` times, and close each one before the end."""
        for reader in [self._read_a_bit(turn_id) for _ in range(BATCH)]:
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

    def abort(self) -> Call:
        """Abort streams in every way; return the call of a reply that still runs."""
        turn_id, call = self.begin()
        call.start_stream().delta("It goes on")
        self.leave(turn_id)
        self.hang_up(15)
        self.stop(15)
        return call


def assert_no_leaks(
    actions: RepeatedActions, count: Callable[[], Counter[str]], running: Counter[str]
) -> None:
    """Abort streams, and assert that only the `running` resources of a running reply remain."""

    def remaining() -> Counter[str]:
        poll_until(lambda: count() <= expected, NOTICED_SECONDS)
        return count() - expected

    complete_first_turn(actions.person, actions.upstream, "one", "1")
    actions.hang_up(1)
    actions.stop(5)  # as many threads and connections as later
    wait_until(lambda: count_running_replies(actions.data) == 0, NOTICED_SECONDS)
    before = count()

    call = actions.abort()
    # The reply still runs; its next deltas or heartbeats detect that the readers disconnected.
    for _ in range(2):
        call.delta(" and on")
    expected = before + running
    assert remaining() == Counter()
    call.complete("It is over")
    wait_until(lambda: count_running_replies(actions.data) == 0, NOTICED_SECONDS)
    expected = before
    assert remaining() == Counter()


def test_aborted_streams_leak_no_sockets_or_threads(
    alice: Person, upstream: Upstream, portal: Portal, tmp_path: Path
):
    portal.log.keepalive_seconds = 0.1
    actions = RepeatedActions(alice, upstream, tmp_path / "data")

    def count() -> Counter[str]:
        found = count_open_resources(os.getpid())
        # This thread ends a moment after the last reply.
        load = sum(thread.name == "process-load" for thread in threading.enumerate())
        return Counter(threads=found["threads"] - load, sockets=found["socket"])

    # The worker of the reply, a thread of the scripted service, and a socket of each.
    assert_no_leaks(actions, count, Counter(threads=2, sockets=2))


@pytest.mark.nightly
@pytest.mark.usefixtures("processes")
def test_aborted_streams_leak_no_sockets_or_files_in_a_server(upstream: Upstream, tmp_path: Path):
    with run_portal(tmp_path / "data", upstream.url) as server:
        [worker] = server.worker_pids
        person = Person(server.url)
        actions = RepeatedActions(person, upstream, tmp_path / "data")
        assert_no_leaks(actions, lambda: count_open_resources(worker), Counter(socket=1))
        person.close()
    assert "Traceback" not in "".join(server.output)
