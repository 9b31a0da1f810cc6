"""A message that cannot be stored is not sent, and its text is not lost."""

from __future__ import annotations

import pytest

from tests.faults.conftest import MESSAGE, message_text
from tests.faults.databases.conftest import (
    CANNOT_SAVE,
    POSTGRESQL,
    SQLITE,
    Outage,
    composer_text,
    send_twice_after_recovery,
)
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn
from tests.support.upstream import Upstream


@pytest.mark.fault("F75")
@pytest.mark.parametrize("database_kind", [SQLITE, POSTGRESQL], indirect=True)
def test_message_that_cannot_be_stored_returns_to_the_composer_unsent(
    alice: Person, bob: Person, upstream: Upstream, database: Outage
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    first = bob.get("/twins/ada")
    action, fields = form.button_action("Send")
    database.take_down()

    page = alice.press(form, "Send", content=MESSAGE)
    fragment = alice.post(action, fields | {"content": MESSAGE}, **HTMX_HEADERS)
    new = bob.press(first, "Send", content=MESSAGE)

    assert [each.status for each in (page, fragment, new)] == [503, 503, 503]
    for each in (page, new):
        assert CANNOT_SAVE in each.text
        assert composer_text(each) == MESSAGE
        assert "Traceback" not in each.text
    assert fragment.text.startswith(CANNOT_SAVE)
    assert fragment.response.headers["HX-Retarget"] == "#notices"
    assert upstream.sent_messages() == ["before"]
    database.restore()
    assert [message_text(turn) for turn in alice.get(form.path).turns] == ["before"]

    page = send_twice_after_recovery(alice, upstream, form)
    assert [message_text(turn) for turn in page.turns] == ["before", MESSAGE]
    assert page.reply_states == ["complete", "complete"]
    page = send_twice_after_recovery(bob, upstream, first)
    assert [message_text(turn) for turn in page.turns] == [MESSAGE]
    assert upstream.sent_messages() == ["before", MESSAGE, MESSAGE]


@pytest.mark.fault("F75")
@pytest.mark.parametrize("database_kind", [SQLITE], indirect=True)
def test_pages_and_streams_are_readable_while_the_database_is_locked(
    alice: Person, upstream: Upstream, database: Outage
):
    page = complete_first_turn(alice, upstream, "before", "Before")
    database.take_down()

    for path in ("/", "/twins/ada", "/conversations", page.path, "/keys"):
        assert alice.get(path).status == 200
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        assert "Before" in stream.remaining_events()[0].data
