"""Who writes a reply, where several processes could: one of them, and the others know."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from core import sse
from core.database import Database
from service.app import create_service, parts_of
from service.container import Parts
from service.conversations.conversations import Conversation, Conversations
from service.conversations.leases import Leases, Stand
from service.conversations.messages import (
    REMEMBER_SECONDS,
    AnotherMessage,
    Messages,
    Press,
    StillReplying,
)
from service.schema import conversations
from tests.service.client import Api
from tests.support.clock import AdjustableClock
from tests.support.portals import served
from tests.support.upstream import COMPLETIONS, Upstream

ONCE = {"Idempotency-Key": '"press-1"'}


@pytest.fixture
def messages(database: Database) -> Messages:
    return Messages(database)


@pytest.fixture
def new_conversation(database: Database) -> Callable[[], Conversation]:
    return lambda: Conversations(database).create("alice", "ada", "")


def lapse(database: Database) -> None:
    with database.write() as connection:
        connection.execute(conversations.update().values(replying_until=1))


def test_a_late_end_does_not_take_the_lease_of_another_reply(
    messages: Messages, database: Database, new_conversation: Callable[[], Conversation]
):
    talk = new_conversation().id
    late, first = messages.say(talk, "first")
    lapse(database)
    messages.say(talk, "second")

    assert messages.reply(late, str(first), "late", complete=True) is None

    with pytest.raises(StillReplying):
        messages.say(talk, "third")


def test_a_reply_that_was_taken_up_by_another_is_stored_once(
    messages: Messages, database: Database, new_conversation: Callable[[], Conversation]
):
    said, first = messages.say(new_conversation().id, "Hello")
    lapse(database)
    _, second = messages.take_up(said)
    leases = Leases(database)

    leases.renew([str(first)])
    assert messages.reply(said, str(first), "from the first", complete=True) is None
    assert leases.stand(said.id) is Stand.HELD
    stored = messages.reply(said, str(second), "from the second", complete=True)

    assert leases.stand(said.id) is Stand.OVER
    assert messages.of(said.conversation_id)[0][1:] == [stored]


def test_a_lease_that_lapsed_but_was_not_taken_is_still_good_for_its_end(
    messages: Messages, database: Database, new_conversation: Callable[[], Conversation]
):
    said, holder = messages.say(new_conversation().id, "Hello")
    lapse(database)

    assert messages.reply(said, str(holder), "late, and welcome", complete=True)


def test_a_repeat_as_the_reply_ends_finds_it_and_begins_no_other(
    messages: Messages, new_conversation: Callable[[], Conversation]
):
    for _ in range(30):
        said, holder = messages.say(new_conversation().id, "Hello")
        with ThreadPoolExecutor(2) as pool:
            end = pool.submit(messages.reply, said, str(holder), "Whole", complete=True)
            again = pool.submit(messages.take_up, said)
            stored, (known, second) = end.result(10), again.result(10)

        assert stored
        assert known in (stored, None)
        assert second is None


def test_nobody_takes_up_a_message_while_the_reply_to_another_is_written(
    messages: Messages, new_conversation: Callable[[], Conversation]
):
    talk = new_conversation().id
    said, holder = messages.say(talk, "first")
    messages.reply(said, str(holder), "", complete=False)
    messages.say(talk, "second")

    with pytest.raises(StillReplying):
        messages.take_up(said)


def test_the_same_press_in_two_conversations_at_once_is_one_message(
    messages: Messages, new_conversation: Callable[[], Conversation]
):
    for number in range(10):
        talks = [new_conversation().id, new_conversation().id]

        def say(talk: str, number: int = number) -> bool:
            try:
                return bool(messages.say(talk, "Hello", Press("alice", f"key {number}"))[1])
            except AnotherMessage:
                return False

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(say, talks)) == [False, True]
        assert sum(messages.of(talk)[1] for talk in talks) == 1


def test_a_press_is_forgotten_after_a_day(
    messages: Messages,
    new_conversation: Callable[[], Conversation],
    clock: AdjustableClock,
):
    press = Press("alice", "key")
    messages.say(new_conversation().id, "Hello", press)
    clock.advance(REMEMBER_SECONDS + 1)

    assert messages.say(new_conversation().id, "Other words", press)[1]


@pytest.fixture
def other(service: Any, parts: Parts, full_key: str) -> Iterator[Api]:
    """Return a client of one more process of the same service."""
    app = create_service(parts.settings, parts.database.clock)
    with served(app) as url:
        api = Api(url, full_key)
        yield api
        api.session.close()
    parts_of(app).replies.close()
    parts_of(app).database.close()


def begin(api: Api, talk: str, once: dict[str, str]) -> Any:
    path = f"/conversations/{talk}/messages/stream"
    return api.post(path, json={"content": "Hello"}, headers=api.headers | once, stream=True)


def told(response: Any) -> list[dict[str, Any]]:
    return [json.loads(event.data) for event in sse.read(Api.chunks(response))]


def test_a_repeat_at_another_process_ends_as_the_reply_does(
    api: Api, other: Api, model: Upstream, parts: Parts
):
    for how in ("whole", "stopped-here", "stopped-there", "failed"):
        talk = api.converse()
        once = {"Idempotency-Key": f'"{how}"'}
        here = begin(api, talk, once)
        call = model.next_call()
        there = begin(other, talk, once)
        call.start_stream().delta("Half")
        with ThreadPoolExecutor(2) as pool:
            endings = [pool.submit(told, response) for response in (here, there)]
            if how == "whole":
                call.complete()
            elif "stopped" in how:
                somebody = api if how == "stopped-here" else other
                place = here.headers["Location"].removeprefix("/api/v1")
                assert somebody.delete(place).status_code == 204
            else:
                call.reset()
            first, second = (ending.result(10)[-1] for ending in endings)

        kind = "complete" if how == "whole" else "error"
        assert (first["type"], second["type"]) == (kind, kind), how
        if how == "whole":
            assert first == second
        if "stopped" in how:
            assert first["code"] == second["code"] == "stopped"
    assert len([c for c in model.calls if c.path == COMPLETIONS]) == 4
    with parts.database.read() as connection:
        holders = connection.execute(select(conversations.c.replying_by)).scalars().all()
    assert holders == [None] * 4


def test_a_repeat_that_waits_for_another_process_is_told_little(
    api: Api, other: Api, model: Upstream
):
    talk = api.converse()
    here = begin(api, talk, ONCE)
    call = model.next_call()
    there = begin(other, talk, ONCE)
    with ThreadPoolExecutor(2) as pool:
        endings = [pool.submit(told, response) for response in (here, there)]
        call.start_stream().delta("Hello")
        call.complete()
        _, events = (ending.result(10) for ending in endings)

    assert [event["type"] for event in events] == ["progress", "complete"]
