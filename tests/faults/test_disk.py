"""A full disk: the operating system lets no file of the portal's processes grow."""

from __future__ import annotations

import resource
from collections.abc import Iterator

import pytest

from tests.faults.conftest import CANNOT_SAVE, MESSAGE, message_text
from tests.support import upstream_server
from tests.support.html import text_in
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn, wait_for_reply
from tests.support.processes import ServerProcess, run_portal
from tests.support.upstream import Upstream


class Disk:
    """Simulates the disk of a portal with a file size limit on its worker processes."""

    def __init__(self, portal: ServerProcess) -> None:
        self._portal = portal

    def fill(self) -> None:
        self._limit(0)

    def clear(self) -> None:
        self._limit(resource.RLIM_INFINITY)

    def _limit(self, size: int) -> None:
        for worker in self._portal.worker_pids:
            resource.prlimit(worker, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))


@pytest.fixture(scope="module")
def upstream() -> Iterator[Upstream]:
    """Run one scripted service for all tests of the module."""
    with upstream_server.run_upstream() as upstream:
        yield upstream


@pytest.fixture(scope="module")
def server(
    processes: None, tmp_path_factory: pytest.TempPathFactory, upstream: Upstream
) -> Iterator[ServerProcess]:
    """Start one portal for all tests of the module."""
    with run_portal(tmp_path_factory.mktemp("data"), upstream.url) as server:
        yield server
    assert "Traceback" not in "".join(server.output)


@pytest.fixture
def url(server: ServerProcess) -> str:
    return server.url


@pytest.fixture
def disk(server: ServerProcess, upstream: Upstream) -> Iterator[Disk]:
    upstream.calls.clear()
    disk = Disk(server)
    yield disk
    disk.clear()


@pytest.mark.fault("F76")
def test_full_disk_rejects_new_messages_and_keeps_earlier_turns(
    alice: Person, bob: Person, upstream: Upstream, disk: Disk
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    disk.fill()

    page = alice.press(form, "Send", content=MESSAGE)
    action, fields = form.button_action("Send")
    fragment = alice.post(action, fields | {"content": MESSAGE}, **HTMX_HEADERS)

    assert (page.status, fragment.status) == (503, 503)
    assert fragment.text.startswith(CANNOT_SAVE)
    assert CANNOT_SAVE in page.text
    assert page.html.select_one("textarea").get_text() == MESSAGE
    assert upstream.sent_messages() == ["before"]
    for path in ("/", "/twins/ada", "/conversations", form.path):
        assert alice.get(path).status == bob.get("/").status == 200
    page = alice.get(form.path)
    assert [message_text(turn) for turn in page.turns] == ["before"]
    assert text_in(page.turns[0], ".turn__reply") == "Before"

    disk.clear()
    page = alice.press(form, "Send", content=MESSAGE)
    upstream.next_call().start_stream().complete("Now")
    page = wait_for_reply(alice, alice.press(form, "Send", content=MESSAGE))
    assert [message_text(turn) for turn in page.turns] == ["before", MESSAGE]
    assert page.reply_states == ["complete", "complete"]
    assert upstream.sent_messages() == ["before", MESSAGE]


@pytest.mark.fault("F76")
def test_portal_with_a_full_disk_is_live_but_not_ready(alice: Person, disk: Disk):
    paths = "/livez", "/healthz", "/readyz"
    assert [alice.get(path).status for path in paths] == [200, 200, 200]
    disk.fill()
    pages = [alice.get(path) for path in paths]
    disk.clear()

    assert [page.status for page in pages] == [200, 200, 503]
    assert pages[-1].response.text == "The database is not writable.\n"
    assert [alice.get(path).status for path in paths] == [200, 200, 200]
