"""Deletion of conversations: immediate, reversible for a while, then purged with all rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import pytest
from sqlalchemy import func, select, update

from tests.chat.conftest import make_deletions, start_conversation
from tests.support.clock import AdjustableClock
from tests.support.databases import on_postgresql
from tests.support.history import insert_conversation
from tests.support.upstream import Upstream
from twindow.chat.conversations import Conversation, ConversationNotFound, Conversations
from twindow.chat.deletion import (
    MAX_SERVICE_OUTAGE_SECONDS,
    PURGED_TURNS_PER_TRANSACTION,
    RESTORABLE_SECONDS,
    Deletions,
)
from twindow.chat.log.entries import Ended, ReplyState, build_reply
from twindow.chat.log.log import Log
from twindow.chat.schema import conversations, entries
from twindow.chat.schema import turns as turns_table
from twindow.chat.search.search import Search
from twindow.chat.submissions import Submissions, SubmittedMessage
from twindow.chat.turns import Turn, Turns


@pytest.fixture
def deletions(log: Log) -> Deletions:
    return make_deletions(log)


def backdate(log: Log, conversation: Conversation, seconds: float) -> None:
    """Set how many seconds ago a conversation was deleted."""
    with log.database.write() as connection:
        mine = conversations.c.id == conversation.id
        values = {"deleted_at": log.database.now(connection) - seconds}
        connection.execute(update(conversations).where(mine).values(values))


def row_counts(log: Log) -> list[int]:
    with log.database.read() as connection:
        tables = conversations, turns_table, entries
        return [connection.scalar(select(func.count()).select_from(table)) for table in tables]


def test_deleted_conversation_accepts_no_turns(
    turns: Turns,
    submissions: Submissions,
    turn: Turn,
    conversation: Conversation,
    deletions: Deletions,
):
    deletions.delete(conversation.id, "alice")

    with pytest.raises(ConversationNotFound):
        submissions.add_turn(conversation, SubmittedMessage("Next", "key 2"))
    with pytest.raises(ConversationNotFound):
        start_conversation(submissions)
    assert turns.find(turn.id, "alice") is None


def test_deletion_stops_the_reply_and_only_its_owner_can_undo_it(
    turns: Turns, turn: Turn, conversation: Conversation, deletions: Deletions, log: Log
):
    deletions.delete(conversation.id, "alice")
    assert build_reply(log.read(turn.id)).state is ReplyState.STOPPED

    assert deletions.find(conversation.id, "alice")
    assert deletions.find(conversation.id, "bob") is None
    deletions.restore(conversation.id, "bob")
    assert turns.find(turn.id, "alice") is None
    deletions.restore(conversation.id, "alice")
    deletions.restore(conversation.id, "alice")
    assert turns.find(turn.id, "alice") == turn


@pytest.mark.both_databases
def test_deleted_conversations_are_purged_after_the_undo_period(
    submissions: Submissions, deletions: Deletions, log: Log
):
    expected: dict[str, bool] = {}
    for seconds, purged in [(RESTORABLE_SECONDS - 1, False), (RESTORABLE_SECONDS + 1, True)]:
        added = start_conversation(submissions, key=f"key {len(expected)}")
        log.end(added.turn.id, Ended(ReplyState.COMPLETE, text="Hi"))
        deletions.delete(added.conversation.id, "alice")
        backdate(log, added.conversation, seconds)
        expected[added.conversation.id] = purged
    other = start_conversation(submissions, "bob").turn
    log.end(other.id, Ended(ReplyState.COMPLETE, text="Hi"))
    assert row_counts(log) == [3, 3, 3]
    deletions.purge_expired()

    assert row_counts(log) == [2, 2, 2]
    with log.database.read() as connection:
        kept = set(connection.scalars(select(conversations.c.id)))
    assert {each for each, purged in expected.items() if purged} & kept == set()
    assert Search(log.database).find("bob", "hello").items
    assert Search(log.database).find("alice", "hello").items == ()


@on_postgresql
@pytest.mark.parametrize("skew", [3600, -3600])
def test_clock_of_another_machine_does_not_shorten_the_undo_period(
    turn: Turn,
    conversation: Conversation,
    deletions: Deletions,
    log: Log,
    new_log: Callable[..., Log],
    clock: AdjustableClock,
    skew: int,
):
    other_log = new_log(clock.skewed(skew))
    other_deletions = make_deletions(other_log)
    other_deletions.delete(conversation.id, "alice")
    assert deletions.find(conversation.id, "alice")
    backdate(log, conversation, RESTORABLE_SECONDS - 60)

    other_deletions.purge_expired()

    assert other_deletions.find(conversation.id, "alice")
    assert deletions.find(conversation.id, "alice")


COPY = "/api/v1/conversations/7"


@pytest.fixture
def with_copy(conversation: Conversation, log: Log, upstream: Upstream) -> Deletions:
    """Return deletions; the service has a copy of the conversation."""
    Conversations(log.database).set_service_id(conversation.id, "7", COPY)
    return make_deletions(log, upstream.url)


@pytest.mark.parametrize(
    ("status", "is_purged"), [(204, True), (404, True), (403, False), (429, False), (503, False)]
)
def test_purge_deletes_the_copy_of_the_service_first(
    conversation: Conversation,
    with_copy: Deletions,
    log: Log,
    upstream: Upstream,
    status: int,
    *,
    is_purged: bool,
):
    upstream.answers[COPY] = status, None
    with_copy.delete(conversation.id, "alice")
    assert upstream.calls == []  # it can still be restored
    backdate(log, conversation, RESTORABLE_SECONDS + 1)
    with_copy.purge_expired()

    assert [(call.method, call.path) for call in upstream.calls] == [("DELETE", COPY)]
    assert (row_counts(log)[0] == 0) == is_purged


def test_service_that_is_away_for_a_day_keeps_its_copy(
    conversation: Conversation, with_copy: Deletions, log: Log, upstream: Upstream
):
    upstream.answers[COPY] = 503, None
    with_copy.delete(conversation.id, "alice")
    backdate(log, conversation, MAX_SERVICE_OUTAGE_SECONDS + RESTORABLE_SECONDS)
    with_copy.purge_expired()

    assert row_counts(log)[0] == 0


def test_service_that_is_away_deletes_the_conversations_of_an_erased_person_later(
    with_copy: Deletions, log: Log, upstream: Upstream
):
    upstream.answers[COPY] = 503, None

    assert with_copy.erase_person("alice") == 1
    with_copy.purge_expired()
    assert row_counts(log)[0] == 1
    upstream.answers[COPY] = 204, None
    assert with_copy.erase_person("alice") == 0
    assert row_counts(log)[0] == 0


@pytest.mark.both_databases
def test_erasing_a_person_purges_their_conversations_at_once(
    submissions: Submissions, conversation: Conversation, deletions: Deletions, log: Log
):
    other = start_conversation(submissions, "bob").conversation

    assert deletions.erase_person("alice") == 0
    with log.database.read() as connection:
        assert list(connection.scalars(select(conversations.c.id))) == [other.id]


@pytest.mark.both_databases
def test_long_conversation_is_purged_in_short_transactions_with_pauses(
    conversation: Conversation,
    deletions: Deletions,
    log: Log,
    clock: AdjustableClock,
    monkeypatch: pytest.MonkeyPatch,
):
    conversation_id = insert_conversation(log.database, "alice", 2 * PURGED_TURNS_PER_TRANSACTION)
    long_conversation = replace(conversation, id=conversation_id)
    backdate(log, long_conversation, RESTORABLE_SECONDS + 1)
    turn_counts = [row_counts(log)[1]]
    monkeypatch.setattr(clock, "sleep", lambda _: turn_counts.append(row_counts(log)[1]))
    deletions.purge_expired()

    steps = [before - after for before, after in pairwise(turn_counts)]
    assert [step for step in steps if step] == [PURGED_TURNS_PER_TRANSACTION] * 2
    assert row_counts(log)[:2] == [1, 1]


def test_new_message_unarchives_a_conversation_and_keeps_its_pin(
    submissions: Submissions, turn: Turn, conversation: Conversation, log: Log
):
    shelf = Conversations(log.database)
    log.end(turn.id, Ended(ReplyState.COMPLETE))
    shelf.set_pinned(conversation, pinned=True)
    shelf.set_archived(conversation, archived=True)
    assert shelf.list_recent("alice") == []
    assert shelf.list_for_person("alice", archived=True).total == 1

    submissions.add_turn(conversation, SubmittedMessage("Next", "key 2"))

    assert [c.pinned for c in shelf.list_recent("alice")] == [True]
