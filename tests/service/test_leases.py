"""Leases: only one process writes a reply, and other processes can read the reply's state."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest
from flask import Flask

from tests.service.client import ApiClient
from tests.support.clock import AdjustableClock
from tests.support.databases import on_postgresql
from tests.support.portals import serve
from tests.support.upstream import Upstream
from twindow.core.db.database import Database
from twindow.service.container import Container
from twindow.service.conversations.conversations import Conversations
from twindow.service.conversations.leases import LEASE_SECONDS, Leases
from twindow.service.conversations.messages import Messages, StillReplying
from twindow.service.idempotency import (
    IDEMPOTENCY_KEY_SECONDS,
    IdempotencyKey,
    IdempotencyKeyReused,
    make_idempotency_key,
)
from twindow.service.schema import conversations

pytestmark = pytest.mark.both_databases

ONCE = {"Idempotency-Key": '"press-1"'}
SECRET_KEY = "secret" * 6


@pytest.fixture
def messages(database: Database) -> Messages:
    return Messages(database)


def new_conversation(messages: Messages) -> str:
    """Create a conversation, and return its id."""
    return Conversations(messages.database).create("alice", "ada", "").id


def expire_leases(messages: Messages) -> None:
    with messages.database.write() as connection:
        connection.execute(conversations.update().values(lease_expires_at=1))


def test_late_reply_with_an_expired_lease_does_not_release_the_lease_of_the_next_reply(
    messages: Messages,
):
    conversation_id = new_conversation(messages)
    late, first = messages.add(conversation_id, "first")
    expire_leases(messages)
    messages.add(conversation_id, "second")

    assert messages.store_reply(late, str(first), "late", is_complete=True) is None

    with pytest.raises(StillReplying):
        messages.add(conversation_id, "third")


def test_reply_taken_over_by_another_process_is_stored_once(messages: Messages):
    message, first = messages.add(new_conversation(messages), "Hello")
    expire_leases(messages)
    _, second = messages.find_reply_or_acquire_lease(message)

    Leases(messages.database).renew([str(first)])
    assert messages.store_reply(message, str(first), "from the first", is_complete=True) is None
    stored = messages.store_reply(message, str(second), "from the second", is_complete=True)

    assert messages.list_page(message.conversation_id)[0][1:] == [stored]


def test_reply_is_stored_under_an_expired_lease_that_nobody_took_over(messages: Messages):
    message, holder = messages.add(new_conversation(messages), "Hello")
    expire_leases(messages)

    assert messages.store_reply(message, str(holder), "late, and welcome", is_complete=True)


@on_postgresql
@pytest.mark.parametrize("skew", [4, 3600, -3600])
def test_machine_whose_clock_differs_takes_over_only_replies_with_expired_leases(
    messages: Messages, database_url: str, clock: AdjustableClock, skew: int
):
    other_clock = clock.skewed(skew)
    with closing(Database(database_url, clock=other_clock)) as other_database:
        other_messages = Messages(other_database)
        message, _ = messages.add(new_conversation(messages), "Hello")
        for each in (clock, other_clock):
            each.advance(LEASE_SECONDS / 2)

        with pytest.raises(StillReplying):
            other_messages.find_reply_or_acquire_lease(message)
        for each in (clock, other_clock):
            each.advance(LEASE_SECONDS)
        assert other_messages.find_reply_or_acquire_lease(message)[1]
        with pytest.raises(StillReplying):
            messages.find_reply_or_acquire_lease(message)


def test_repeated_request_at_the_end_of_a_reply_starts_no_second_reply(messages: Messages):
    for _ in range(30):
        message, holder = messages.add(new_conversation(messages), "Hello")
        with ThreadPoolExecutor(2) as pool:
            end = pool.submit(messages.store_reply, message, str(holder), "Whole", is_complete=True)
            again = pool.submit(messages.find_reply_or_acquire_lease, message)
            stored = end.result(10)
            with suppress(StillReplying):
                assert again.result(10) == (stored, None)


def test_retry_cannot_continue_a_reply_while_a_later_message_is_answered(messages: Messages):
    conversation_id = new_conversation(messages)
    message, holder = messages.add(conversation_id, "first")
    messages.store_reply(message, str(holder), "", is_complete=False)
    messages.add(conversation_id, "second")

    with pytest.raises(StillReplying):
        messages.find_reply_or_acquire_lease(message)


def test_idempotency_key_used_in_two_conversations_at_once_is_accepted_once(messages: Messages):
    for number in range(10):
        conversation_ids = [new_conversation(messages), new_conversation(messages)]

        key = make_idempotency_key(SECRET_KEY, "alice", f"key {number}")

        def add_message(conversation_id: str, key: IdempotencyKey = key) -> bool:
            try:
                return bool(messages.add(conversation_id, "Hello", key)[1])
            except IdempotencyKeyReused:
                return False

        with ThreadPoolExecutor(2) as pool:
            assert sorted(pool.map(add_message, conversation_ids)) == [False, True]
        assert sum(messages.list_page(id_)[1] for id_ in conversation_ids) == 1


def test_idempotency_key_is_remembered_for_a_day(messages: Messages, clock: AdjustableClock):
    conversation_id = new_conversation(messages)
    key = make_idempotency_key(SECRET_KEY, "alice", "key")
    first, _ = messages.add(conversation_id, "Hello", key)
    clock.advance(IDEMPOTENCY_KEY_SECONDS - 1)
    assert messages.add(conversation_id, "Hello", key) == (first, None)

    clock.advance(2)
    assert messages.add(new_conversation(messages), "Other words", key)[1]


@pytest.fixture
def other(new_service: Callable[[], Flask], full_key: str) -> Iterator[ApiClient]:
    """Return a client of a second process of the same service."""
    with serve(new_service()) as url:
        api = ApiClient(url, full_key)
        yield api
        api.session.close()


@pytest.mark.parametrize("ending", ["completion", "stop"])
def test_repeat_at_another_process_waits_and_then_gets_the_finished_reply(
    api: ApiClient, other: ApiClient, model: Upstream, ending: str
):
    conversation_id = api.create_conversation()
    here = api.begin_stream(conversation_id, headers=ONCE)
    call = model.next_call().start_stream()
    call.delta("Half")

    refused = other.begin_stream(conversation_id, headers=ONCE)

    assert (refused.status_code, refused.json()["code"]) == (409, "still_replying")
    assert refused.headers["Retry-After"] == "5"
    place = here.headers["Location"]
    assert refused.headers["Link"] == f'<{place}>; rel="cancel"'
    if ending == "completion":
        call.complete()
        *_, end = api.events(here)
        assert [*other.stream(conversation_id, "Hello", ONCE)] == [end]
    else:
        assert other.delete(place.removeprefix("/api/v1")).status_code == 204
        assert [*api.events(here)][-1]["code"] == "stopped"


def test_reply_stops_when_another_process_deletes_its_conversation(
    api: ApiClient, other: ApiClient, model: Upstream, container: Container
):
    conversation_id = api.create_conversation()
    here = api.begin_stream(conversation_id)
    call = model.next_call().start_stream()
    call.delta("Half")

    assert other.delete(f"/conversations/{conversation_id}").status_code == 204

    assert [*api.events(here)][-1]["code"] == "stopped"
    assert call.wait_for_disconnect()
    assert container.messages.list_page(conversation_id)[0] == []
