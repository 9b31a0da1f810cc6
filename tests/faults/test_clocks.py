"""Clocks that jump: turns keep their order, and no waiting time is negative."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.faults.conftest import MESSAGE, SendMessage, message_text, respond_with
from tests.support.clock import AdjustableClock
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from twindow.core.settings import load_settings
from twindow.service.credentials.jwt_tokens import InvalidToken, JwtTokens

TEN_MINUTES = 600
NEGATIVE = re.compile(
    r"(?<![\w-])(?<!Reference )[-\N{MINUS SIGN}]\s?\d"
)  # the reference of an error is a random id


def test_turns_keep_their_order_when_the_clock_jumps(
    alice: Person, upstream: Upstream, clock: AdjustableClock
):
    page = complete_first_turn(alice, upstream, "one", "1")
    wrong = {"two": TEN_MINUTES, "three": -TEN_MINUTES, "four": TEN_MINUTES, "five": 0}
    for words, seconds in wrong.items():
        clock.jump_wall_clock(seconds)
        page = alice.press(page, "Send", content=words)
        upstream.next_call().start_stream().complete(words)
        page = wait_for_reply(alice, page)

    assert [message_text(turn) for turn in page.turns] == ["one", *wrong]
    assert page.reply_states == ["complete"] * 5
    assert not NEGATIVE.search(page.text)


def test_wait_is_never_negative(send_message: SendMessage, alice: Person, clock: AdjustableClock):
    page = send_message(respond_with(429, {}, retry_after="120")).page
    for seconds in (-TEN_MINUTES, TEN_MINUTES):
        clock.jump_wall_clock(seconds)
        pages = [alice.get(path) for path in (page.path, "/conversations", "/twins/ada", "/")]
        refused = alice.press(page, "Send", content=MESSAGE)

        assert [each for each in (*pages, refused) if NEGATIVE.search(each.text)] == []
        assert bool(pages[0].html.select(".note .countdown__clock")) is (seconds < 0)
        assert refused.status == (429 if seconds < 0 else 200)


def test_lists_and_sessions_survive_a_clock_jump(
    alice: Person, upstream: Upstream, clock: AdjustableClock
):
    conversation = complete_first_turn(alice, upstream, "one", "1")
    upstream.answers["/api/v1/twins"] = 500, {}

    for seconds in (TEN_MINUTES, -TEN_MINUTES):
        clock.jump_wall_clock(seconds)
        page = alice.get("/")
        assert "Ada" in page.text
        assert not NEGATIVE.search(page.text)
        assert alice.get(conversation.path).reply_states == ["complete"]
        assert conversation.path in str(alice.get("/conversations").html)


def test_jwt_signed_by_a_clock_far_ahead_is_rejected(tmp_path: Path):
    clock = AdjustableClock()
    tokens = JwtTokens(load_settings({"data_dir": tmp_path}), clock)
    signed = {}
    for ahead in (20, TEN_MINUTES):
        clock.jump_wall_clock(ahead)
        signed[ahead] = tokens.sign("alice")

    assert tokens.verify(signed[20]).sub == "alice"
    with pytest.raises(InvalidToken):
        tokens.verify(signed[TEN_MINUTES])
