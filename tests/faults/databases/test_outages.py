"""A database that is locked or gone: no message is sent or lost, and pages say so."""

from __future__ import annotations

import pytest

from tests.faults.conftest import CANNOT_SAVE, MESSAGE
from tests.faults.databases.conftest import (
    Outage,
    assert_sent_once,
    assert_unsent,
    on_postgres,
)
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn
from tests.support.upstream import Upstream


@pytest.mark.fault("F75")
def test_message_that_cannot_be_stored_returns_to_the_composer_unsent(
    alice: Person, bob: Person, upstream: Upstream, database: Outage
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    first = bob.get("/twins/ada")
    action, fields = form.button_action("Send")
    database.take_down()

    assert_unsent(alice.press(form, "Send", content=MESSAGE))
    assert_unsent(bob.press(first, "Send", content=MESSAGE))
    fragment = alice.post(action, fields | {"content": MESSAGE}, **HTMX_HEADERS)
    assert fragment.status == 503
    assert fragment.text.startswith(CANNOT_SAVE)
    assert fragment.response.headers["HX-Retarget"] == "#notices"
    assert upstream.sent_messages() == ["before"]
    database.restore()
    assert alice.get(form.path).reply_states == ["complete"]

    assert_sent_once(alice, upstream, form)
    assert_sent_once(bob, upstream, first)


@pytest.mark.fault("F75")
def test_pages_and_streams_are_readable_while_the_database_is_locked(
    alice: Person, upstream: Upstream, database: Outage
):
    page = complete_first_turn(alice, upstream, "before", "Before")
    database.take_down()

    for path in ("/", "/twins/ada", "/conversations", page.path, "/keys"):
        assert alice.get(path).status == 200
    with alice.follow(str(page.turns[0]["data-turn"])) as stream:
        assert "Before" in stream.remaining_events()[0].data


@pytest.mark.fault("F75")
@on_postgres
def test_pages_are_errors_without_a_database_but_static_files_are_served(
    alice: Person, upstream: Upstream, database: Outage
):
    form = complete_first_turn(alice, upstream, "before", "Before")
    paths = ("/", "/twins/ada", "/conversations", "/readyz", form.path)
    style = str(form.html.select_one("link[rel=stylesheet]")["href"])
    database.take_down()

    gone = [alice.get(path) for path in paths]
    assert [page.status for page in gone] == [503] * len(gone)
    for page in gone:
        reason = "not writable." if page.path == "/readyz" else "We can't save anything right now"
        assert reason in page.text
        assert "Set-Cookie" not in page.response.headers
    assert alice.get(style).status == 200
    assert_unsent(alice.press(form, "Send", content=MESSAGE))
    assert upstream.sent_messages() == ["before"]

    database.restore()
    assert [alice.get(path).status for path in paths] == [200] * len(gone)
    assert_sent_once(alice, upstream, form)
