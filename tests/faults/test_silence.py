"""A service that sends nothing: the portal shows that it is waiting, and then times out."""

from __future__ import annotations

import pytest
from flask import Flask

from tests.faults.conftest import text_in
from tests.support.clock import AdjustableClock
from tests.support.html import parse_html
from tests.support.person import Person
from tests.support.upstream import Upstream
from web.container import Portal
from web.i18n.formatting import OVERDUE_SECONDS

STILL_WAITING = "Still waiting for Ada…"
GIVEN_UP = "The reply timed out."


pytestmark = pytest.mark.settings(api_timeout=1)


@pytest.mark.fault("F39")
def test_silent_service_is_shown_as_waiting_and_then_times_out(
    app: Flask, alice: Person, upstream: Upstream, portal: Portal, clock: AdjustableClock
):
    app.config["NOSCRIPT_POLL_SECONDS"] = portal.log.keepalive_seconds = 0.05
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
