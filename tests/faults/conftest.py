"""A reply as a person sees it: live, while it comes, and on the page that is loaded afterwards."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import pytest
from bs4 import Tag

from core.sse import ServerSentEvent
from tests.support.person import Page, Person
from tests.support.upstream import Call, Upstream

WORDS = "my precious words"
# Whatever of the service's is shown as markup is found by this class.
MARKUP = '<b class="theirs">today</b>'

HTML = b'<html><body class="theirs"><h1>Traceback</h1>theirs</body></html>'
NOT_SENT = "Your message was not sent."

Act = Callable[[Call], Any]
Hear = Callable[..., "Seen"]


@dataclass(frozen=True, slots=True)
class Seen:
    """What came of one reply: frames, the turn that they made, the page, what the service got."""

    frames: list[ServerSentEvent]
    live: Tag
    page: Page
    sent: list[str]

    @property
    def turn(self) -> Tag:
        """Return the turn as the page shows it."""
        return self.page.turns[-1]

    @property
    def pieces(self) -> list[str]:
        """Return the text that came while the reply was on its way."""
        return [
            piece.get_text()
            for frame in self.frames
            for piece in Page.read(frame.data).select('hx-partial[hx-target^="#r"]')
        ]

    @property
    def note(self) -> str:
        """Return the words of the note on the page."""
        return words_of(self.turn, ".note")


@pytest.fixture
def hear(alice: Person, upstream: Upstream) -> Hear:
    """Say something, let the service act, and look at what comes of it.

    `sent` has the messages since the last conversation began.
    """
    before = 0

    def hear(*acts: Act, words: str = WORDS, page: Page | None = None, twin: str = "ada") -> Seen:
        nonlocal before
        if page is None:
            before = len(upstream.sent_messages())
            page = alice.begin(words, twin)
        else:
            page = alice.press(page, "Send", content=words)
        seen = look(alice, upstream, page, *acts)
        return replace(seen, sent=seen.sent[before:])

    return hear


def look(person: Person, upstream: Upstream, page: Page, *acts: Act) -> Seen:
    """Follow the last turn on a page while the service acts, once for each of its calls."""
    turn_id = str(page.turns[-1]["data-turn"])
    with person.follow(turn_id, turn=page.turns[-1]) as stream:
        for act in acts:
            act(upstream.next_call())
        frames = stream.rest()
        live = stream.turn
    for thread in threading.enumerate():
        if thread.name == f"turn-{turn_id}":
            thread.join(10)  # its log is written by then
    return Seen(frames, live, person.get(page.path), upstream.sent_messages())


def promised(
    seen: Seen,
    state: str,
    *sentences: str,
    kept: str = "",
    words: str = WORDS,
    next_step: str = "Retry",
    sent: list[str] | None = None,
) -> None:
    """Assert what each fault owes to the person, live and on the page (R0)."""
    for turn in (seen.live, seen.turn):
        assert turn["data-state"] == state
        assert said_in(turn) == words
        assert words_of(turn, ".turn__reply") == kept
        note = words_of(turn, ".note")
        assert [sentence for sentence in sentences if sentence not in note] == []
        assert turn.select(".theirs") == []
        assert "Traceback" not in turn.get_text()
        button = turn.select_one(".note button")
        assert (button.get_text().strip() if button else "") == (next_step if note else "")
        given_back = turn.select_one(".note input[name=content]")
        assert given_back is None or given_back["value"] == words
    assert bool(seen.note) is (state != "complete")
    assert seen.frames[-1].name == "done"
    assert seen.sent == ([words] if sent is None else sent)


def said_in(turn: Tag) -> str:
    """Return what the person said, as it is shown."""
    said = turn.select_one(".turn__said")
    return said.get_text().removeprefix("You: ") if said else ""


def words_of(turn: Tag, part: str) -> str:
    """Return the words in a part of a turn."""
    found = turn.select_one(part)
    return " ".join(found.get_text(" ").split()) if found else ""


def delta(text: str) -> bytes:
    """Return the bytes of a piece of the reply."""
    return b'data: {"type":"delta","content":"%s"}\n\n' % text.encode()


def event(data: Any, name: str = "") -> bytes:
    """Return the bytes of an event."""
    return (f"event: {name}\n" if name else "").encode() + b"data: %s\n\n" % json.dumps(
        data
    ).encode()


COMPLETE = b'data: {"type":"complete"}\n\n'
HALF = delta("Half a rep")


def streams(*parts: bytes) -> Act:
    """Return a service that streams these bytes and closes."""

    def act(call: Call) -> None:
        call.start_stream()
        call.send_bytes(b"".join(parts))
        call.close()

    return act


def chunks(*parts: bytes) -> Act:
    """Return a service that streams each of these by itself, in a chunk of its own."""

    def act(call: Call) -> None:
        call.start_stream(transfer_encoding="chunked")
        for part in (*parts, b""):
            call.send_chunk(part)
        call.close()

    return act


def says(status: int, body: Any = None, **headers: str) -> Act:
    """Return a service that answers so."""
    return lambda call: call.respond(status, {} if body is None else body, **headers)


def says_html(status: int, **headers: str) -> Act:
    """Return a service that answers with a page."""
    return says(status, HTML, content_type="text/html; charset=utf-8", **headers)
