"""Cursors: a list is read completely, although it changes meanwhile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import update

from core.database import Database
from service.access import ApiKeys
from service.container import Container
from service.conversations import Conversations
from service.pagination import encode_cursor
from service.schema import conversations as table
from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.upstream import Upstream

Between = Callable[[list[str]], None]


def read_all(
    api: ApiClient,
    path: str,
    *,
    between: Between = lambda _ids: None,
    headers: dict[str, str] | None = None,
    **query: str,
) -> list[str]:
    """Read a list page by page and return its ids; between pages, call `between(ids)`."""
    ids: list[str] = []
    params: dict[str, Any] = {"limit": "3"} | query
    while True:
        answer = api.get(path, params=params, headers=headers or api.headers).json()
        ids += [item["id"] for item in answer["data"]]
        if answer["pagination"]["nextCursor"] is None:
            return ids
        params["cursor"] = answer["pagination"]["nextCursor"]
        between(ids)


@pytest.fixture
def touch(container: Container, clock: AdjustableClock) -> Callable[[str], None]:
    """Return a function that moves a conversation to the start of its list."""

    def touch(conversation_id: str) -> None:
        clock.advance(1)
        with container.database.write() as connection:
            row = update(table).where(table.c.id == conversation_id)
            connection.execute(row.values(updated_at=clock.time()))

    return touch


def test_paging_misses_no_conversation_that_moves_to_the_start_in_the_meantime(
    api: ApiClient, touch: Callable[[str], None]
):
    made = [api.create_conversation() for _ in range(10)]

    def touch_an_unread_one(ids: list[str]) -> None:
        for unread in [one for one in made if one not in ids][:1]:
            touch(unread)

    ids = read_all(api, "/conversations", between=touch_an_unread_one)

    assert sorted(ids) == sorted(made)


def test_conversation_that_is_updated_after_it_was_read_is_returned_again(
    api: ApiClient, touch: Callable[[str], None]
):
    made = [api.create_conversation() for _ in range(5)]
    touched: list[str] = []

    def touch_once(ids: list[str]) -> None:
        if not touched:
            touched.append(ids[0])
            touch(ids[0])

    ids = read_all(api, "/conversations", between=touch_once)

    assert ids == [*reversed(made), *touched]


def test_conversations_of_the_same_time_are_each_read_once(database: Database):
    conversations = Conversations(database)
    for _ in range(7):
        conversations.create("alice", "ada", "")
    with database.write() as connection:
        connection.execute(update(table).where(table.c.sub == "alice").values(updated_at=5.0))
    seen: list[str] = []
    page = conversations.list_page("alice", None, 1, 2)
    while True:
        seen += [item.id for item in page.items]
        if page.next_cursor is None:
            break
        page = conversations.list_page("alice", None, 1, 2, page.next_cursor)

    assert len(seen) == len(set(seen)) == 7


def test_cursor_keeps_the_twin_filter(api: ApiClient, container: Container):
    (container.twins.folder / "bob.md").write_text("---\nname: Bob\n---\n")
    with_bob = [
        api.post("/conversations", json={"twinId": "bob"}).json()["data"]["id"]
        for _ in range(4)
        if api.create_conversation()
    ]

    assert read_all(api, "/conversations", twinId="bob") == with_bob[::-1]


def test_twins_are_read_by_cursor_in_the_order_of_the_list(api: ApiClient, container: Container):
    for number in range(6):
        (container.twins.folder / f"t{number}.md").write_text("---\nname: The same\n---\n")

    assert read_all(api, "/twins") == ["ada", *(f"t{number}" for number in range(6))]


def test_messages_are_read_by_cursor_while_more_are_sent(api: ApiClient, model: Upstream):
    path = f"/conversations/{api.create_conversation()}/messages"
    model.always_reply("Hi")
    for _ in range(2):
        api.post(path, json={"content": "Hello"})
    sent: list[int] = []

    def send(_ids: list[str]) -> None:
        if not sent:
            sent.append(api.post(path, json={"content": "More"}).status_code)

    ids = read_all(api, path, between=send)

    assert ids == [message["id"] for message in api.get(path).json()["data"]]
    assert len(ids) == 6


def test_keys_are_read_by_cursor_although_new_ones_are_created(
    api: ApiClient, container: Container, clock: AdjustableClock
):
    headers = {"Authorization": f"Bearer {container.jwt_tokens.sign('bob')}"}
    keys = ApiKeys(container.database)
    made = []
    for number in range(7):
        clock.advance(number % 2)
        made.append(keys.create("bob", str(number), "read_only")[0])

    def create(_ids: list[str]) -> None:
        clock.advance(1)
        keys.create("bob", "new", "read_only")

    ids = read_all(api, "/auth/api-keys", between=create, headers=headers)

    assert sorted(ids) == sorted(key.id for key in made)


def test_cursor_of_another_list_is_rejected(api: ApiClient):
    conversation = api.create_conversation()
    valid = {
        "/twins": encode_cursor(("Ada", "ada")),
        "/conversations": encode_cursor((1.0, 1.0, "x")),
        f"/conversations/{conversation}/messages": encode_cursor((1,)),
    }
    odd = ["x", "%00", "é", "=", "====", encode_cursor((2**40,)), encode_cursor((1.0, 1.0, "a\0"))]
    odd += [encode_cursor((None,)), encode_cursor(("[" * 900,))]
    for path in valid:
        assert api.get(path, params={"cursor": valid[path]}).status_code == 200
        for cursor in [*odd, *(text for other, text in valid.items() if other != path)]:
            answer = api.get(path, params={"cursor": cursor})
            told = answer.status_code, answer.json()["details"]
            assert told == (
                400,
                [{"field": "cursor", "reason": "should be the nextCursor of the same list"}],
            ), (path, cursor)
