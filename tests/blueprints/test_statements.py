"""How many SQL statements a message and a page of a conversation need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import has_request_context
from sqlalchemy import event

from tests.support.history import get_only_person, insert_conversation
from tests.support.person import (
    HTMX_HEADERS,
    Page,
    Person,
    complete_first_turn,
    wait_for_reply,
)
from tests.support.upstream import Upstream
from twindow.web.container import Portal

MAX_OF_MESSAGE, MAX_OF_PAGE = 10, 5


@contextmanager
def recorded_statements(portal: Portal) -> Iterator[list[str]]:
    """Record the statements of requests, without those that begin a transaction."""
    statements: list[str] = []

    def record(_connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        if has_request_context() and not statement.startswith(("PRAGMA", "BEGIN", "SET LOCAL")):
            statements.append(statement)

    event.listen(portal.database.engine, "before_cursor_execute", record)
    try:
        yield statements
    finally:
        event.remove(portal.database.engine, "before_cursor_execute", record)


def test_message_and_page_need_few_statements(alice: Person, upstream: Upstream, portal: Portal):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    action, fields = alice.get(page.path).button_action("Send")
    with recorded_statements(portal) as message:
        alice.post(action, fields | {"content": "More"}, **HTMX_HEADERS)
    upstream.next_call().start_stream().complete("Done")
    wait_for_reply(alice, alice.get(page.path))
    with recorded_statements(portal) as shown:
        alice.get(page.path)

    assert len(message) <= MAX_OF_MESSAGE, "\n".join(message)
    assert len(shown) <= MAX_OF_PAGE, "\n".join(shown)


def test_newest_texts_of_the_list_need_one_statement(alice: Person, portal: Portal, page: Page):
    counts = []
    for _ in range(3):
        with recorded_statements(portal) as listed:
            alice.get("/conversations")
        counts.append(len([each for each in listed if "substr(" in each]))
        insert_conversation(portal.database, get_only_person(portal.database), 3)

    assert counts == [1, 1, 1]
