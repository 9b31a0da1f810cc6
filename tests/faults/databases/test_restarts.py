"""Restarts of PostgreSQL, which require no action from anyone."""

from __future__ import annotations

from contextlib import ExitStack
from typing import Any

import pytest

from tests.faults.conftest import MESSAGE
from tests.faults.databases.conftest import Outage, on_postgres, second_portal
from tests.support.html import text_in
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from twindow.web.container import Portal


@pytest.mark.fault("F75", "F78")
@on_postgres
def test_database_restart_between_requests_fails_no_request(
    alice: Person, upstream: Upstream, database: Outage, portal: Portal
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    with ExitStack() as several:
        for _ in range(3):
            several.enter_context(portal.database.read())
    database.take_down()
    database.restore()

    page = alice.press(form, "Send", content=MESSAGE)

    assert page.status == 200
    upstream.next_call().start_stream().complete("Now")
    assert wait_for_reply(alice, page).reply_states == ["complete", "complete"]


@pytest.mark.fault("F78")
@on_postgres
def test_sessions_and_running_replies_survive_a_database_restart(
    alice: Person, bob: Person, upstream: Upstream, database: Outage, settings: dict[str, Any]
):
    page = alice.start_conversation(MESSAGE)
    turn_id = str(page.turns[0]["data-turn"])
    call = upstream.next_call().start_stream()
    with (
        second_portal(settings, alice) as at_second,
        alice.follow(turn_id) as here,
        at_second.follow(turn_id) as there,
    ):
        call.delta("One")
        for stream in (here, there):
            stream.read_until("One")
        database.take_down()
        call.delta(" two")
        here.read_until(" two")
        database.restore()
        there.read_until(" two")
        call.delta(" three")
        for stream in (here, there):
            stream.read_until(" three")
        assert alice.get(page.path).reply_states == ["streaming"]
        call.complete()
        assert [stream.remaining_events()[-1].name for stream in (here, there)] == ["done"] * 2

        for person in (alice, at_second):
            page = person.get(page.path)
            assert page.reply_states == ["complete"]
            assert text_in(page.turns[0], ".turn__reply") == "One two three"
            assert page.path in str(person.get("/conversations").html)
    assert bob.get(page.path).status == 404
    assert upstream.sent_messages() == [MESSAGE]
