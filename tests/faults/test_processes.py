"""Two portals in separate processes on one database: their readers see the same replies."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.support import upstream_server
from tests.support.html import text_in
from tests.support.person import Page, Person, wait_for_reply
from tests.support.processes import ServerProcess, run_portal
from tests.support.upstream import Call, Upstream


class PortalPair:
    """Two portals. The property `first` restarts the first portal if it was killed."""

    def __init__(self, data: Path, upstream: Upstream, started: ExitStack) -> None:
        self.upstream = upstream
        self._data = data
        self._started = started
        self._first, self.second = self._start(), self._start()

    @property
    def first(self) -> ServerProcess:
        if self._first.process.poll() is not None:
            self._first = self._start()
        return self._first

    def _start(self) -> ServerProcess:
        return self._started.enter_context(run_portal(self._data, self.upstream.url))


@pytest.fixture(scope="module")
def two(processes: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PortalPair]:
    """Start two portals for all tests of the module."""
    with ExitStack() as stack:
        upstream = stack.enter_context(upstream_server.run_upstream())
        two = PortalPair(tmp_path_factory.mktemp("data"), upstream, stack)
        yield two
    assert "Traceback" not in "".join(two.second.output)


@pytest.fixture
def erin(two: PortalPair) -> Iterator[Person]:
    """Return Erin, who uses the first portal."""
    erin = Person(two.first.url)
    yield erin
    erin.close()


@pytest.fixture
def at_second(two: PortalPair, erin: Person) -> Person:
    """Return Erin's browser at the second portal; it has the same cookie."""
    there = Person(two.second.url)
    there.session = erin.session
    return there


def speak(erin: Person, two: PortalPair) -> tuple[Page, str, Call]:
    page = erin.start_conversation("Tell me")
    return page, str(page.turns[0]["data-turn"]), two.upstream.next_call().start_stream()


def test_stop_at_another_process_aborts_the_reply_at_once(
    two: PortalPair, erin: Person, at_second: Person
):
    page, turn_id, call = speak(erin, two)
    with erin.follow(turn_id) as here, at_second.follow(turn_id) as there:
        call.delta("So far")
        here.read_until("So far")
        there.read_until("So far")
        stopped = at_second.press(at_second.get(page.path), "Stop")
        assert stopped.reply_states == ["stopped"]
        assert call.wait_for_disconnect()
        ends = here.remaining_events()[-2], there.remaining_events()[-2]

    for stream, end in zip((here, there), ends, strict=True):
        assert stream.text == "So far"
        assert "Stopped." in text_in(Page.parse(end.data), ".note")


@pytest.mark.fault("F65")
def test_another_process_rejects_a_second_message_but_recognizes_a_repeated_one(
    two: PortalPair, erin: Person, at_second: Person
):
    form = erin.get("/twins/ada")
    page = erin.press(form, "Send", content="Tell me once")
    call = two.upstream.next_call().start_stream()

    assert at_second.press(form, "Send", content="Tell me once").path == page.path
    other = at_second.press(page, "Send", content="And that")
    assert other.status == 409
    assert other.html.select_one("#message").get_text() == "And that"
    call.complete("Once")
    assert wait_for_reply(at_second, page).reply_states == ["complete"]
    assert two.upstream.sent_messages().count("Tell me once") == 1


@pytest.mark.fault("F71")
def test_reader_at_another_process_sees_that_the_reply_worker_was_killed(
    two: PortalPair, erin: Person, at_second: Person
):
    page, turn_id, call = speak(erin, two)
    with at_second.follow(turn_id) as there:
        call.delta("Last words")
        there.read_until("Last words")
        two.first.kill()
        done = there.remaining_events()[-1]

    turn = there.turn
    assert (turn["data-state"], done.name) == ("interrupted", "done")
    page = at_second.get(page.path)
    assert page.reply_states == ["interrupted"]
    for shown in (turn, page.turns[0]):
        assert text_in(shown, ".turn__reply") == "Last words"
        assert "may have received" in text_in(shown, ".note")
        assert "Try again" in text_in(shown, ".note")
