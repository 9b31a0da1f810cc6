"""Helpers that observe a reply as a person sees it: streamed, and on the page loaded afterwards."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from bs4 import Tag

from tests.support.html import text_in
from tests.support.person import Page, Person
from tests.support.portals import join_threads
from tests.support.upstream import Call, Upstream
from twindow.core.sse import ServerSentEvent

MESSAGE = "my precious words"
# The class `theirs` is on a page only if the portal renders text of the service as markup.
UPSTREAM_MARKUP = '<b class="theirs">today</b>'

ERROR_PAGE_HTML = b'<html><body class="theirs"><h1>Traceback</h1>theirs</body></html>'
NOT_SENT = "Your message wasn't sent."
CANNOT_SAVE = "We can't save anything right now, so nothing was sent. Please try again soon."

UpstreamAction = Callable[[Call], Any]
SendMessage = Callable[..., "Outcome"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """Result of one reply: the SSE frames, the turn built from them, the page loaded afterwards,
    and the messages that the service received.
    """

    frames: list[ServerSentEvent]
    live_turn: Tag
    page: Page
    sent_messages: list[str]

    @property
    def turn(self) -> Tag:
        """Return the last turn of the page that was loaded after the reply."""
        return self.page.turns[-1]

    @property
    def note(self) -> str:
        """Return the text of the note on the page."""
        return text_in(self.turn, ".note")


@pytest.fixture
def send_message(alice: Person, upstream: Upstream) -> SendMessage:
    """Return a function that sends a message, runs the upstream actions, and returns the outcome.

    `Outcome.sent_messages` contains the messages sent since the newest conversation started.
    """
    before = 0

    def send_message(
        *acts: UpstreamAction, words: str = MESSAGE, page: Page | None = None
    ) -> Outcome:
        nonlocal before
        if page is None:
            before = len(upstream.sent_messages())
            page = alice.start_conversation(words)
        else:
            page = alice.press(page, "Send", content=words)
        seen = observe_reply(alice, upstream, page, *acts)
        return replace(seen, sent_messages=seen.sent_messages[before:])

    return send_message


def observe_reply(
    person: Person, upstream: Upstream, page: Page, *actions: UpstreamAction
) -> Outcome:
    """Follow the last turn of a page; each action handles one call to the service."""
    turn_id = str(page.turns[-1]["data-turn"])
    with person.follow(turn_id, turn=page.turns[-1]) as stream:
        for act in actions:
            act(upstream.next_call())
        frames = stream.remaining_events()
        live_turn = stream.turn
    join_threads(f"turn-{turn_id}")  # the worker thread may log until it ends
    return Outcome(frames, live_turn, person.get(page.path), upstream.sent_messages())


def assert_outcome(
    outcome: Outcome,
    state: str,
    *sentences: str,
    reply: str = "",
    content: str = MESSAGE,
    button_label: str = "Try again",
    sent_messages: list[str] | None = None,
) -> None:
    """Assert what holds for every fault (R0 of docs/faults.md), in the stream and on the page."""
    for turn in (outcome.live_turn, outcome.turn):
        assert turn["data-state"] == state
        assert message_text(turn) == content
        assert text_in(turn, ".turn__reply") == reply
        note = text_in(turn, ".note")
        assert [sentence for sentence in sentences if sentence not in note] == []
        assert turn.select(".theirs") == []
        assert "Traceback" not in turn.get_text()
        assert bool(note) is (f"Reference {turn['data-turn'][:8]}" in note)
        assert not (NOT_SENT in note and "may have received" in note)
        button = turn.select_one(".note button")
        assert (button.get_text().strip() if button else "") == (button_label if note else "")
        resent_content = turn.select_one(".note input[name=content]")
        assert resent_content is None or resent_content["value"] == content
    assert bool(outcome.note) is (state != "complete")
    assert outcome.frames[-1].name == "done"
    assert outcome.sent_messages == ([content] if sent_messages is None else sent_messages)


def message_text(turn: Tag) -> str:
    """Return the person's message as it is shown."""
    element = turn.select_one(".turn__content")
    return element.get_text().removeprefix("You: ") if element else ""


def delta_bytes(text: str) -> bytes:
    """Return the bytes of a delta event; `text` is inserted without JSON escaping."""
    return b'data: {"type":"delta","content":"%s"}\n\n' % text.encode()


def event_bytes(data: Any, name: str = "") -> bytes:
    """Return the bytes of an event, with a name unless `name` is empty."""
    return (f"event: {name}\n" if name else "").encode() + b"data: %s\n\n" % json.dumps(
        data
    ).encode()


COMPLETE_EVENT = b'data: {"type":"complete"}\n\n'
PARTIAL_DELTA = delta_bytes("Half a rep")


def respond_with_stream(*parts: bytes) -> UpstreamAction:
    """Return an action that streams these bytes and closes the connection."""

    def act(call: Call) -> None:
        call.start_stream()
        call.send_bytes(b"".join(parts))
        call.close()

    return act


def respond_with(status: int, body: Any = None, **headers: str) -> UpstreamAction:
    """Return an action that responds with this status, body (default `{}`) and headers."""
    return lambda call: call.respond(status, {} if body is None else body, **headers)


def respond_with_html(status: int, **headers: str) -> UpstreamAction:
    """Return an action that responds with an HTML error page."""
    return respond_with(status, ERROR_PAGE_HTML, content_type="text/html; charset=utf-8", **headers)


@pytest.fixture(scope="session")
def password_file() -> Iterator[Path]:
    """Return a file with passwords, in a folder that the workers of nginx can read."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        file = Path(folder) / "passwords"
        file.write_text("anna:{PLAIN}secret\nben:{PLAIN}secret\nan,na:{PLAIN}secret\n")
        yield file
