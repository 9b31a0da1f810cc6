"""A reply that cannot be stored: its readers see a notice, and it is stored later."""

from __future__ import annotations

import pytest

from tests.faults.conftest import MESSAGE, NOT_SENT
from tests.faults.databases.conftest import Outage
from tests.support.html import text_in
from tests.support.person import Page, Person
from tests.support.portals import join_threads
from tests.support.upstream import Upstream
from twindow.web.container import Portal

pytestmark = pytest.mark.fault("F77")
NOT_SAVED_YET = "not saved yet"
NOT_SAVED = "The reply couldn't be saved because the database is not responding."


def test_reply_that_cannot_be_stored_shows_a_notice_and_is_stored_later(
    alice: Person, upstream: Upstream, database: Outage
):
    page = alice.start_conversation(MESSAGE)
    call = upstream.next_call().start_stream()
    with alice.follow(turn_of(page)) as stream:
        call.delta("Half")
        stream.read_until("Half")
        database.take_down()
        call.complete("Half and half")
        stream.read_until(NOT_SAVED_YET)
        database.restore()
        stream.remaining_events()

    assert stream.text.strip() == "Half and half"
    page = alice.get(page.path)
    assert page.reply_states == ["complete"]
    assert text_in(page.turns[0], ".turn__reply") == "Half and half"
    assert upstream.sent_messages() == [MESSAGE]


def test_reply_that_cannot_be_stored_in_time_is_interrupted(
    alice: Person, upstream: Upstream, database: Outage, portal: Portal
):
    portal.reply_worker.save_timeout_seconds = 0.3
    page = alice.start_conversation(MESSAGE)
    call = upstream.next_call().start_stream()
    with alice.follow(turn_of(page)) as stream:
        call.delta("Half")
        stream.read_until("Half")
        database.take_down()
        call.complete("Half and half")
        done = stream.remaining_events()[-1]

    turn = stream.turn
    assert done.name == "done"
    assert turn["data-state"] == "interrupted"
    assert text_in(turn, ".turn__reply") == "Half and half"
    assert NOT_SAVED in text_in(turn, ".note")
    join_threads("turn-")
    database.restore()
    page = alice.get(page.path)
    assert page.reply_states == ["complete"]
    assert text_in(page.turns[0], ".turn__reply") == "Half and half"


def test_message_is_not_sent_when_the_conversation_id_cannot_be_stored(
    alice: Person, upstream: Upstream, database: Outage
):
    upstream.unanswered_paths.add("/api/v1/conversations")
    page = alice.start_conversation(MESSAGE)
    created = upstream.next_call()
    with alice.follow(turn_of(page)) as stream:
        database.take_down()
        created.respond(201, {"data": {"id": "up-1", "twinId": "ada"}})
        stream.read_until(NOT_SAVED_YET)
        database.restore()
        stream.remaining_events()

    page = alice.get(page.path)
    assert page.reply_states == ["failed"]
    assert NOT_SENT in text_in(page.turns[0], ".note")
    assert "may have received" not in text_in(page.turns[0], ".note")
    assert upstream.sent_messages() == []


def turn_of(page: Page) -> str:
    return str(page.turns[-1]["data-turn"])
