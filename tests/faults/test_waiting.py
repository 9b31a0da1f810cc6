"""While a reply is awaited: the page shows the progress, that it is still waiting, or the end."""

from __future__ import annotations

import time
from typing import Any

import pytest

from tests.faults.conftest import (
    COMPLETE_EVENT,
    UPSTREAM_MARKUP,
    SendMessage,
    assert_outcome,
    delta_bytes,
    respond_with_stream,
)
from tests.support.clock import AdjustableClock
from tests.support.html import parse_html, text_in
from tests.support.person import Person
from tests.support.upstream import Upstream
from twindow.web.container import Portal
from twindow.web.i18n.formatting import OVERDUE_SECONDS
from twindow.web.streaming import noscript_page

STILL_WAITING = "Still waiting for Ada…"
GIVEN_UP = "The reply timed out."


@pytest.mark.fault("F39")
@pytest.mark.settings(api_timeout=1)
def test_silent_service_is_shown_as_waiting_and_then_times_out(
    alice: Person,
    upstream: Upstream,
    portal: Portal,
    clock: AdjustableClock,
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(noscript_page, "POLL_SECONDS", 0.05)
    portal.log.keepalive_seconds = 0.05
    page = alice.start_conversation("Hello")
    call = upstream.next_call().start_stream()
    url = f"{alice.base_url}{page.path}?follow=1"
    turn = page.turns[0]
    with (
        alice.session.get(url, stream=True, timeout=10) as without_script,
        alice.follow(str(turn["data-turn"]), turn=turn) as stream,
    ):
        pieces, seen = stream.chunks(), b""
        while seen.count(b"event: ping") < 2:  # the second `ping` event is a keep-alive
            seen += next(pieces)
        clock.advance(OVERDUE_SECONDS)
        frames = stream.remaining_events()
        whole = parse_html(without_script.text)

    assert STILL_WAITING in "".join(parse_html(frame.data).get_text() for frame in frames)
    assert STILL_WAITING in whole.get_text()
    assert call.wait_for_disconnect()
    for shown in (stream.turn, whole.select_one(".turn__footer"), alice.get(page.path).turns[0]):
        assert shown["data-state"] == "interrupted"
        assert GIVEN_UP in text_in(shown, ".note")
        assert shown.select_one(".note button").get_text().strip() == "Try again"
    assert stream.turn.select(".turn__progress") == []


LINES: list[tuple[Any, str]] = [
    (0.45, "45%"),
    ("reading", "Reading…"),
    ({"label": "thinking", "percent": 30}, "Thinking… 30%"),
    (None, "Ada has your message…"),
    (UPSTREAM_MARKUP, f"{UPSTREAM_MARKUP}…"),
]


def test_progress_is_shown_as_one_short_line_of_plain_text(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Hello")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        for progress, line in LINES:
            call.send_event(type="progress", progress=progress)
            frame = stream.next_frame()
            assert frame.select_one("[hx-target$=-progress]").get_text().strip() == line
            assert alice.get(page.path).html.select_one(".turn__progress").text.strip() == line
            assert frame.select(".theirs") == []
    call.complete("Hi")


def test_many_small_deltas_become_at_most_twenty_updates_a_second(send_message: SendMessage):
    begun = time.monotonic()
    seen = send_message(respond_with_stream(delta_bytes("x") * 20_000, COMPLETE_EVENT))
    seconds = time.monotonic() - begun

    assert_outcome(seen, "complete", reply="x" * 20_000)
    # Plus a few frames at the start and at the end.
    assert len(seen.frames) <= 20 * seconds + 4
