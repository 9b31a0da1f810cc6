"""A message that cannot be stored: it is not sent, and its words are not lost."""

from __future__ import annotations

import pytest

from tests.faults.conftest import WORDS, said_in
from tests.faults.databases.conftest import (
    POSTGRESQL,
    SQLITE,
    UNSAVED,
    Database,
    given_back,
    press_twice_when_it_is_back,
)
from tests.support.person import HTMX, Person, say_and_hear
from tests.support.upstream import Upstream


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [SQLITE, POSTGRESQL], indirect=True)
def test_a_message_that_cannot_be_stored_is_not_sent_and_its_words_are_kept(
    alice: Person, upstream: Upstream, database: Database
):
    form = say_and_hear(alice, upstream, "before", "Before")
    database.go()

    page = alice.press(form, "Send", content=WORDS)

    assert page.status == 503
    assert UNSAVED in page.text
    assert given_back(page) == WORDS
    assert "Traceback" not in page.text
    assert upstream.sent_messages() == ["before"]
    database.come_back()
    assert [said_in(turn) for turn in alice.get(form.path).turns] == ["before"]

    page = press_twice_when_it_is_back(alice, upstream, form)
    assert [said_in(turn) for turn in page.turns] == ["before", WORDS]
    assert page.states == ["complete", "complete"]
    assert upstream.sent_messages() == ["before", WORDS]


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [SQLITE, POSTGRESQL], indirect=True)
def test_a_form_of_htmx_that_cannot_be_stored_stays_where_it_is(
    alice: Person, upstream: Upstream, database: Database
):
    form = say_and_hear(alice, upstream, "before", "Before")
    action, fields = form.action("Send")
    database.go()

    page = alice.post(action, fields | {"content": WORDS}, **HTMX)

    assert page.status == 503
    assert page.text.startswith(UNSAVED)
    assert page.response.headers["HX-Retarget"] == "#notices"
    assert upstream.sent_messages() == ["before"]


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [SQLITE, POSTGRESQL], indirect=True)
def test_somebody_new_is_told_as_well(alice: Person, upstream: Upstream, database: Database):
    form = alice.get("/twins/ada")
    database.go()

    page = alice.press(form, "Send", content=WORDS)

    assert page.status == 503
    assert given_back(page) == WORDS
    database.come_back()
    page = press_twice_when_it_is_back(alice, upstream, form)
    assert [said_in(turn) for turn in page.turns] == [WORDS]
    assert upstream.sent_messages() == [WORDS]


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [SQLITE], indirect=True)
def test_reading_goes_on_while_somebody_else_writes(
    alice: Person, upstream: Upstream, database: Database
):
    page = say_and_hear(alice, upstream, "before", "Before")
    database.go()

    for path in ("/", "/twins/ada", "/conversations", page.path, "/keys"):
        assert alice.get(path).status == 200
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        assert "Before" in stream.rest()[0].data
