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
def test_message_that_cannot_be_stored_is_given_back_unsent(
    alice: Person, bob: Person, upstream: Upstream, database: Database
):
    form = say_and_hear(alice, upstream, "before", "Before")
    first = bob.get("/twins/ada")
    action, fields = form.action("Send")
    database.go()

    page = alice.press(form, "Send", content=WORDS)
    fragment = alice.post(action, fields | {"content": WORDS}, **HTMX)
    new = bob.press(first, "Send", content=WORDS)

    assert [each.status for each in (page, fragment, new)] == [503, 503, 503]
    for each in (page, new):
        assert UNSAVED in each.text
        assert given_back(each) == WORDS
        assert "Traceback" not in each.text
    assert fragment.text.startswith(UNSAVED)
    assert fragment.response.headers["HX-Retarget"] == "#notices"
    assert upstream.sent_messages() == ["before"]
    database.come_back()
    assert [said_in(turn) for turn in alice.get(form.path).turns] == ["before"]

    page = press_twice_when_it_is_back(alice, upstream, form)
    assert [said_in(turn) for turn in page.turns] == ["before", WORDS]
    assert page.states == ["complete", "complete"]
    page = press_twice_when_it_is_back(bob, upstream, first)
    assert [said_in(turn) for turn in page.turns] == [WORDS]
    assert upstream.sent_messages() == ["before", WORDS, WORDS]


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
