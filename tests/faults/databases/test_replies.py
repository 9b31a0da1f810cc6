"""A reply that cannot be stored: whoever reads it is told, and it is stored later."""

from __future__ import annotations

import pytest

from tests.faults.conftest import NOT_SENT, WORDS, words_of
from tests.faults.databases.conftest import (
    POSTGRESQL,
    SQLITE,
    Database,
    wait_for_producers,
)
from tests.support.person import Page, Person
from tests.support.upstream import Upstream
from web.container import Portal

NOT_SAVED_YET = "not saved yet"
NOT_SAVED = "The reply could not be saved, because the database did not answer for too long."


@pytest.mark.fault("F77")
@pytest.mark.parametrize("kind", [SQLITE, POSTGRESQL], indirect=True)
def test_a_reply_that_cannot_be_stored_says_so_and_is_stored_later(
    alice: Person, upstream: Upstream, database: Database
):
    page = alice.begin(WORDS)
    call = upstream.next_call().start_stream()
    with alice.follow(turn_of(page)) as stream:
        call.delta("Half")
        stream.until("Half")
        database.go()
        call.complete("Half and half")
        stream.until(NOT_SAVED_YET)
        database.come_back()
        stream.rest()

    assert stream.text.strip() == "Half and half"
    page = alice.get(page.path)
    assert page.states == ["complete"]
    assert words_of(page.turns[0], ".turn__reply") == "Half and half"
    assert upstream.sent_messages() == [WORDS]


@pytest.mark.fault("F77")
@pytest.mark.parametrize("kind", [SQLITE], indirect=True)
def test_a_reply_that_cannot_be_stored_for_too_long_ends(
    alice: Person, upstream: Upstream, database: Database, portal: Portal
):
    portal.reply_worker.save_timeout_seconds = 0.3
    page = alice.begin(WORDS)
    call = upstream.next_call().start_stream()
    with alice.follow(turn_of(page)) as stream:
        call.delta("Half")
        stream.until("Half")
        database.go()
        call.complete("Half and half")
        done = stream.rest()[-1]

    turn = stream.turn
    assert done.name == "done"
    assert turn["data-state"] == "interrupted"
    assert words_of(turn, ".turn__reply") == "Half and half"
    assert NOT_SAVED in words_of(turn, ".note")
    wait_for_producers()
    database.come_back()
    page = alice.get(page.path)
    assert page.states == ["interrupted"]
    assert "Retry" in words_of(page.turns[0], ".note")


@pytest.mark.fault("F77")
@pytest.mark.parametrize("kind", [SQLITE], indirect=True)
def test_a_conversation_whose_number_cannot_be_stored_is_told_with_the_message_unsent(
    alice: Person, upstream: Upstream, database: Database
):
    upstream.held_paths.add("/api/v1/conversations")
    page = alice.begin(WORDS)
    created = upstream.next_call()
    with alice.follow(turn_of(page)) as stream:
        database.go()
        created.respond(201, {"data": {"id": "up-1", "twinId": "ada"}})
        stream.until(NOT_SAVED_YET)
        database.come_back()
        stream.rest()

    page = alice.get(page.path)
    assert page.states == ["failed"]
    assert NOT_SENT in words_of(page.turns[0], ".note")
    assert "may have received" not in words_of(page.turns[0], ".note")
    assert upstream.sent_messages() == []


def turn_of(page: Page) -> str:
    return str(page.turns[-1]["data-turn"])
