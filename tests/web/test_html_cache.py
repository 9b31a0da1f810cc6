"""HTML of finished replies: rendered once, cached, and rendered again when it is missing."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread

import pytest
from sqlalchemy import delete, select, update

from tests.support.history import insert_conversation
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.chat.schema import entries, turns
from twindow.core.db.database import Database
from twindow.rendering import RENDERER_VERSION
from twindow.web.container import Portal
from twindow.web.streaming.html_cache import HtmlCache


class CountingRenderer:
    """Renderer that records which texts it rendered."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str, _scope: str) -> str:
        self.texts.append(text)
        return f"<p>{text}</p>"


@pytest.fixture
def database(portal: Portal) -> Database:
    """Return a database with the portal's tables."""
    return portal.database


@pytest.fixture
def turn_id(database: Database) -> str:
    """Return the id of a turn whose HTML is not cached."""
    [turn_id] = insert_turns(database, "alice", 1)
    return turn_id


def insert_turns(database: Database, person: str, turn_count: int) -> Sequence[str]:
    conversation_id = insert_conversation(database, person, turn_count)
    with database.write() as connection:
        connection.execute(update(entries).values(html=None, html_version=None))
        query = select(turns.c.id).where(turns.c.conversation_id == conversation_id)
        return connection.scalars(query.order_by(turns.c.position)).all()


def stored_html(database: Database, turn_id: str) -> str | None:
    with database.read() as connection:
        query = select(entries.c.html).where(entries.c.turn_id == turn_id)
        return connection.execute(query).scalar()


def test_text_is_rendered_once_for_all_processes(database: Database, turn_id: str):
    renderer = CountingRenderer()

    assert HtmlCache(database, renderer).get(turn_id, "Hi") == "<p>Hi</p>"
    assert HtmlCache(database, renderer).get(turn_id, "Hi") == "<p>Hi</p>"
    assert renderer.texts == ["Hi"]


def test_request_for_html_that_is_being_rendered_waits_for_it(database: Database, turn_id: str):
    texts: list[str] = []
    results: list[str] = []
    second = Thread(target=lambda: results.append(cache.get(turn_id, "Hi")))

    def render(text: str, _scope: str) -> str:
        texts.append(text)
        if len(texts) == 1:
            second.start()
            second.join(0.2)  # the thread would end in this time if it did not wait
            assert second.is_alive()
        return f"<p>{text}</p>"

    cache = HtmlCache(database, render)
    assert cache.get(turn_id, "Hi") == "<p>Hi</p>"
    second.join()
    assert (results, set(texts)) == (["<p>Hi</p>"], {"Hi"})


def test_html_of_an_earlier_renderer_version_is_kept_until_it_is_rendered_again(
    database: Database, turn_id: str
):
    cache = HtmlCache(database, CountingRenderer())
    cache.add(turn_id, "Hi")
    with database.write() as connection:
        connection.execute(update(entries).values(html_version=0, html="<p>old</p>"))

    assert stored_html(database, turn_id) == "<p>old</p>"
    assert cache.get(turn_id, "Hi") == "<p>Hi</p>"
    assert stored_html(database, turn_id) == "<p>Hi</p>"


def test_html_of_a_later_renderer_version_is_not_replaced(database: Database, turn_id: str):
    cache = HtmlCache(database, CountingRenderer())
    with database.write() as connection:
        connection.execute(
            update(entries).values(html_version=RENDERER_VERSION + 1, html="<p>later</p>")
        )

    assert cache.get(turn_id, "Hi") == "<p>Hi</p>"
    assert stored_html(database, turn_id) == "<p>later</p>"


def test_html_of_a_deleted_turn_is_returned_but_not_stored(database: Database):
    cache = HtmlCache(database, CountingRenderer())

    assert cache.add("deleted", "Hi") == "<p>Hi</p>"
    assert stored_html(database, "deleted") is None


@pytest.mark.fault("F90")
def test_html_is_stored_only_after_the_end_of_its_reply_is_stored(database: Database, turn_id: str):
    cache = HtmlCache(database, CountingRenderer())
    with database.write() as connection:
        connection.execute(delete(entries))

    assert cache.add(turn_id, "So far") == "<p>So far</p>"
    assert stored_html(database, turn_id) is None


def test_text_that_cannot_be_rendered_is_returned_as_plain_text(database: Database, turn_id: str):
    def fail(_text: str, _scope: str) -> str:
        raise ValueError

    assert HtmlCache(database, fail).add(turn_id, "<b>") == "<pre>&lt;b&gt;</pre>\n"


def test_end_of_a_reply_fills_the_cache(alice: Person, upstream: Upstream, portal: Portal):
    page = complete_first_turn(alice, upstream, "one", "**first**")

    turn_id = str(page.turns[0]["data-turn"])
    assert stored_html(portal.database, turn_id) == "<p><strong>first</strong></p>"


def test_page_renders_the_newest_missing_reply_and_shows_others_as_text(
    alice: Person, upstream: Upstream, portal: Portal
):
    page = complete_first_turn(alice, upstream, "one", "first")
    with portal.database.read() as connection:
        person = connection.exec_driver_sql("SELECT person FROM conversations").scalar_one()
    insert_turns(portal.database, person, 3)
    page = alice.get("/conversations")
    link = next(a for a in page.html.select("main a") if a.get_text() == "A talk of 3")
    page = alice.get(str(link["href"]))

    replies = [turn.select_one(".turn__reply") for turn in page.turns]
    assert [reply.pre is not None for reply in replies if reply] == [True, True, False]
    assert page.text.count("Shown as plain text") == 2
    assert alice.get(page.path).text.count("Shown as plain text") == 1
