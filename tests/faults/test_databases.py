"""A database that is locked, or gone: nothing counts as sent that is not stored, and it comes back.

SQLite is locked by a connection that is not the portal's, PostgreSQL is stopped.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.faults.conftest import NOT_SENT, WORDS, said_in, words_of
from tests.person import HTMX, Page, Person, ended, say_and_hear
from tests.postgres import Postgres
from tests.upstream import Upstream

UNSAVED = "The portal cannot save anything at the moment. Nothing was sent; try again soon."
NOT_SAVED_YET = "not saved yet"
NOT_SAVED = "The reply could not be saved, because the database did not answer for too long."

SQLITE = "sqlite"
POSTGRESQL = "postgresql"


class Locked:
    """An SQLite file that somebody else writes to."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._other: sqlite3.Connection | None = None

    def go(self) -> None:
        self._other = sqlite3.connect(self._path, isolation_level=None)
        self._other.execute("BEGIN IMMEDIATE")

    def come_back(self) -> None:
        if self._other:
            self._other.close()
            self._other = None


class Stopped:
    """A PostgreSQL that does not run."""

    def __init__(self, postgres: Postgres) -> None:
        self._postgres = postgres
        self._gone = False

    def go(self) -> None:
        self._postgres.stop()
        self._gone = True

    def come_back(self) -> None:
        if self._gone:
            self._postgres.start()
            self._gone = False


Database = Locked | Stopped


@pytest.fixture(params=[SQLITE, POSTGRESQL])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def database(
    kind: str, request: pytest.FixtureRequest, settings: dict[str, Any]
) -> Iterator[Database]:
    """Return the portal's database, to take it away."""
    if kind == SQLITE:
        database: Database = Locked(settings["data_dir"] / "portal.db")
    else:
        postgres: Postgres = request.getfixturevalue("postgres")
        settings["database_url"] = postgres.new_database()
        database = Stopped(postgres)
    yield database
    database.come_back()


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("database.GIVE_UP_SECONDS", 0.05)
    monkeypatch.setattr("chat.producer.SAVE_RETRY_SECONDS", 0.05)
    monkeypatch.setattr("chat.elsewhere.RETRY_SECONDS", 0.05)


@pytest.fixture
def alice(database: Database, people: Callable[[], Person]) -> Person:
    """Return Alice; her portal's database can be taken away."""
    return people()


def press_twice_when_it_is_back(alice: Person, upstream: Upstream, form: Page) -> Page:
    """Send the form that could not be sent, with a double click."""
    page = alice.press(form, "Send", content=WORDS)
    upstream.next_call().begin().complete("Now")
    page = alice.press(form, "Send", content=WORDS)
    return ended(alice, page)


def given_back(page: Page) -> str:
    return page.html.select_one("textarea").get_text()


@pytest.mark.fault("F75")
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
    assert upstream.sent() == ["before"]
    database.come_back()
    assert [said_in(turn) for turn in alice.get(form.path).turns] == ["before"]

    page = press_twice_when_it_is_back(alice, upstream, form)
    assert [said_in(turn) for turn in page.turns] == ["before", WORDS]
    assert page.states == ["complete", "complete"]
    assert upstream.sent() == ["before", WORDS]


@pytest.mark.fault("F75")
def test_a_form_of_htmx_that_cannot_be_stored_stays_where_it_is(
    alice: Person, upstream: Upstream, database: Database
):
    form = say_and_hear(alice, upstream, "before", "Before")
    action, fields = form.action("Send")
    database.go()

    page = alice.post(action, fields | {"content": WORDS}, **HTMX)

    assert page.status == 503
    assert page.text == UNSAVED
    assert page.response.headers["HX-Retarget"] == "#notices"
    assert upstream.sent() == ["before"]


@pytest.mark.fault("F75")
def test_somebody_new_is_told_as_well(alice: Person, upstream: Upstream, database: Database):
    form = alice.get("/twins/ada")
    database.go()

    page = alice.press(form, "Send", content=WORDS)

    assert page.status == 503
    assert given_back(page) == WORDS
    database.come_back()
    page = press_twice_when_it_is_back(alice, upstream, form)
    assert [said_in(turn) for turn in page.turns] == [WORDS]
    assert upstream.sent() == [WORDS]


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


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
@pytest.mark.parametrize("path", ["/", "/conversations", "/readyz"])
def test_a_page_says_that_the_database_is_gone(
    alice: Person, upstream: Upstream, database: Database, path: str
):
    alice.get("/twins/ada")
    database.go()

    page = alice.get(path)

    assert page.status == 503
    assert "Traceback" not in page.text
    assert len(page.text.split(".")) > 1
    database.come_back()
    assert alice.get(path).status == 200


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_what_needs_no_database_does_without(alice: Person, database: Database):
    style = alice.get("/").html.select_one("link[rel=stylesheet]")["href"]
    database.go()

    assert alice.get(style).status == 200


@pytest.mark.fault("F75", "F78")
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_a_restart_that_nobody_noticed_costs_no_request(
    alice: Person, upstream: Upstream, database: Database
):
    form = say_and_hear(alice, upstream, "before", "Before")
    database.go()
    database.come_back()

    page = alice.press(form, "Send", content=WORDS)

    assert page.status == 200
    upstream.next_call().begin().complete("Now")
    assert ended(alice, page).states == ["complete", "complete"]


@pytest.mark.fault("F77")
def test_a_reply_that_cannot_be_stored_says_so_and_is_stored_later(
    alice: Person, upstream: Upstream, database: Database
):
    page = alice.begin(WORDS)
    call = upstream.next_call().begin()
    with alice.follow(turn_of(page)) as stream:
        call.delta("Half")
        stream.until("Half")
        database.go()
        call.complete("Half and half")
        stream.until(NOT_SAVED_YET)
        database.come_back()
        frames = stream.rest()

    assert "Half and half" in Page.read(frames[-2].data).get_text()
    page = alice.get(page.path)
    assert page.states == ["complete"]
    assert words_of(page.turns[0], ".turn__reply") == "Half and half"
    assert upstream.sent() == [WORDS]


@pytest.mark.fault("F77")
def test_a_reply_that_cannot_be_stored_for_too_long_ends(
    alice: Person, upstream: Upstream, database: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("chat.producer.SAVE_SECONDS", 0.3)
    page = alice.begin(WORDS)
    call = upstream.next_call().begin()
    with alice.follow(turn_of(page)) as stream:
        call.delta("Half")
        stream.until("Half")
        database.go()
        call.complete("Half and half")
        *_, end, done = stream.rest()

    turn = Page.read(end.data).select_one("article.turn")
    assert done.name == "done"
    assert turn["data-state"] == "interrupted"
    assert words_of(turn, ".turn__reply") == "Half and half"
    assert NOT_SAVED in words_of(turn, ".note")
    wait_for_producer(turn_of(page))
    database.come_back()
    page = alice.get(page.path)
    assert page.states == ["interrupted"]
    assert "Retry" in words_of(page.turns[0], ".note")


@pytest.mark.fault("F77")
def test_a_conversation_whose_number_cannot_be_stored_is_told_with_the_message_unsent(
    alice: Person, upstream: Upstream, database: Database
):
    upstream.hold_back.add("/api/v1/conversations")
    page = alice.begin(WORDS)
    created = upstream.next_call()
    with alice.follow(turn_of(page)) as stream:
        database.go()
        created.answer(201, {"data": {"id": "up-1", "twinId": "ada"}})
        stream.until(NOT_SAVED_YET)
        database.come_back()
        stream.rest()

    page = alice.get(page.path)
    assert page.states == ["failed"]
    assert NOT_SENT in words_of(page.turns[0], ".note")
    assert "may have received" not in words_of(page.turns[0], ".note")
    assert upstream.sent() == []


@pytest.fixture
def other(kind: str, database: Database, settings: dict[str, Any]) -> Iterator[Any]:
    """Connect somebody else to PostgreSQL, who would wait long for a lock."""
    assert kind == POSTGRESQL
    address = settings["database_url"].replace("+psycopg", "")
    with psycopg.connect(address) as other:
        other.execute("SET deadlock_timeout = '1min'")
        yield other
        other.rollback()


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_a_deadlock_is_told_and_the_words_are_kept(
    alice: Person, upstream: Upstream, other: Any, people: Callable[[], Person]
):
    form = say_and_hear(alice, upstream, "before", "Before")
    other.execute("SELECT 1 FROM producers FOR UPDATE")
    with ThreadPoolExecutor(1) as pool:
        pressed = pool.submit(alice.press, form, "Send", content=WORDS)
        while not waits_for_a_lock(other):
            pass
        other.execute("SELECT 1 FROM conversations FOR UPDATE")  # the portal has it
        page = pressed.result(10)
        other.rollback()

    assert page.status == 503
    assert given_back(page) == WORDS
    assert upstream.sent() == ["before"]
    page = press_twice_when_it_is_back(alice, upstream, form)
    assert [said_in(turn) for turn in page.turns] == ["before", WORDS]
    assert upstream.sent() == ["before", WORDS]


def waits_for_a_lock(connection: Any) -> bool:
    connection.execute("SELECT pg_sleep(0.01)")
    query = "SELECT 1 FROM pg_locks WHERE NOT granted"
    return connection.execute(query).fetchone() is not None


@pytest.mark.fault("F75")
@pytest.mark.parametrize("kind", [POSTGRESQL], indirect=True)
def test_a_lock_that_stays_is_told_and_the_words_are_kept(
    alice: Person, upstream: Upstream, other: Any, monkeypatch: pytest.MonkeyPatch
):
    form = say_and_hear(alice, upstream, "before", "Before")
    other.execute("LOCK TABLE turns IN EXCLUSIVE MODE")
    monkeypatch.setattr("tests.person.WAIT_SECONDS", 2)

    page = alice.press(form, "Send", content=WORDS)

    assert page.status == 503
    assert given_back(page) == WORDS
    assert upstream.sent() == ["before"]
    other.rollback()
    page = press_twice_when_it_is_back(alice, upstream, form)
    assert [said_in(turn) for turn in page.turns] == ["before", WORDS]


def turn_of(page: Page) -> str:
    return str(page.turns[-1]["data-turn"])


def wait_for_producer(turn_id: str) -> None:
    for thread in threading.enumerate():
        if thread.name == f"turn-{turn_id}":
            thread.join(10)
