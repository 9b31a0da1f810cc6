"""HTML of finished replies: rendered once, cached, and rendered again when it is missing."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event

import pytest
from sqlalchemy import delete, select, update

from tests.support.history import insert_conversation
from twindow.chat.log.html_cache import HtmlCache
from twindow.chat.log.log import Log
from twindow.chat.schema import entries, turns
from twindow.core.db.database import Database
from twindow.rendering import render_plain

VERSION = 7


class CountingRenderer:
    """Renderer that records which texts it rendered."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def __call__(self, text: str, _scope: str) -> str:
        self.texts.append(text)
        return f"<p>{text}</p>"


@pytest.fixture
def database(log: Log) -> Database:
    return log.database


@pytest.fixture
def turn_id(database: Database) -> str:
    """Return the id of a turn whose HTML is not cached."""
    conversation_id = insert_conversation(database, "alice", 1)
    with database.write() as connection:
        connection.execute(update(entries).values(html=None, html_version=None))
        query = select(turns.c.id).where(turns.c.conversation_id == conversation_id)
        return str(connection.scalars(query).one())


def make_cache(database: Database, render: Callable[[str, str], str]) -> HtmlCache:
    """Return the cache of a process."""
    return HtmlCache(database, render, render_plain, VERSION)


def stored_html(database: Database, turn_id: str) -> str | None:
    with database.read() as connection:
        query = select(entries.c.html).where(entries.c.turn_id == turn_id)
        return connection.execute(query).scalar()


def test_text_is_rendered_once_for_all_processes(database: Database, turn_id: str):
    renderer = CountingRenderer()

    assert make_cache(database, renderer).get(turn_id, "Hi") == "<p>Hi</p>"
    assert make_cache(database, renderer).get(turn_id, "Hi") == "<p>Hi</p>"
    assert renderer.texts == ["Hi"]


def test_request_for_html_that_is_being_rendered_waits_for_it(
    database: Database, turn_id: str, monkeypatch: pytest.MonkeyPatch
):
    renderer, waits = CountingRenderer(), Event()

    class ObservedFuture(Future[str]):
        def result(self, timeout: float | None = None) -> str:
            waits.set()
            return super().result(timeout)

    def render(text: str, scope: str) -> str:
        if not renderer.texts:
            results.append(pool.submit(cache.get, turn_id, "Hi"))
        html = renderer(text, scope)
        waits.wait(10)
        return html

    cache, results = make_cache(database, render), []
    monkeypatch.setattr("twindow.chat.log.html_cache.Future", ObservedFuture)
    with ThreadPoolExecutor(1) as pool:
        assert cache.get(turn_id, "Hi") == "<p>Hi</p>"
        assert results[0].result() == "<p>Hi</p>"
    assert renderer.texts == ["Hi"]


def test_html_of_an_earlier_renderer_version_is_kept_until_it_is_rendered_again(
    database: Database, turn_id: str
):
    cache = make_cache(database, CountingRenderer())
    cache.add(turn_id, "Hi")
    with database.write() as connection:
        connection.execute(update(entries).values(html_version=0, html="<p>old</p>"))

    assert stored_html(database, turn_id) == "<p>old</p>"
    assert cache.get(turn_id, "Hi") == "<p>Hi</p>"
    assert stored_html(database, turn_id) == "<p>Hi</p>"


def test_html_of_a_later_renderer_version_is_not_replaced(database: Database, turn_id: str):
    cache = make_cache(database, CountingRenderer())
    with database.write() as connection:
        connection.execute(update(entries).values(html_version=VERSION + 1, html="<p>later</p>"))

    assert cache.get(turn_id, "Hi") == "<p>Hi</p>"
    assert stored_html(database, turn_id) == "<p>later</p>"


def test_html_of_a_deleted_turn_is_returned_but_not_stored(database: Database):
    cache = make_cache(database, CountingRenderer())

    assert cache.add("deleted", "Hi") == "<p>Hi</p>"
    assert stored_html(database, "deleted") is None


@pytest.mark.fault("F90")
def test_html_is_stored_only_after_the_end_of_its_reply_is_stored(database: Database, turn_id: str):
    cache = make_cache(database, CountingRenderer())
    with database.write() as connection:
        connection.execute(delete(entries))

    assert cache.add(turn_id, "So far") == "<p>So far</p>"
    assert stored_html(database, turn_id) is None


def test_text_that_cannot_be_rendered_is_returned_as_plain_text(database: Database, turn_id: str):
    def fail(_text: str, _scope: str) -> str:
        raise ValueError

    assert make_cache(database, fail).add(turn_id, "<b>") == "<pre>&lt;b&gt;</pre>\n"
