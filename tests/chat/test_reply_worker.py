"""A reply always ends, whatever fails in its worker."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import twinapi
from chat.conversations import Conversation, Conversations
from chat.log.entries import ReplyState, build_reply
from chat.log.log import Log
from chat.missed_replies import MissedReplies
from chat.quota import Quota
from chat.reply_worker import ReplyWorker
from chat.turn_rows import AddedTurn, Turn
from chat.turns import Turns
from tests.support.upstream import UPSTREAM_KEY, Upstream


@pytest.fixture
def producer(log: Log, turns: Turns, quota: Quota, upstream: Upstream) -> Iterator[ReplyWorker]:
    client = twinapi.Client(upstream.url, UPSTREAM_KEY)
    history = MissedReplies(client, turns, log)
    yield ReplyWorker(Conversations(log.database), log, client, quota, history)
    client.close()


def test_bug_in_the_worker_ends_the_reply_with_a_sentence(
    producer: ReplyWorker, log: Log, turn: Turn, conversation: Conversation, monkeypatch
):
    monkeypatch.setattr(producer, "_send_with_retries", lambda *_: 1 / 0)

    producer.write_reply(conversation, turn)

    reply = build_reply(log.read(turn.id))
    assert reply.state is ReplyState.FAILED
    assert reply.code == "internal_error"


def test_failed_conversation_creation_leaves_the_message_unsent(
    producer: ReplyWorker, log: Log, turn: Turn, conversation: Conversation, upstream: Upstream
):
    upstream.answers["/api/v1/conversations"] = 500, {}

    producer.write_reply(conversation, turn)

    reply = build_reply(log.read(turn.id))
    assert not reply.perhaps_received
    assert reply.code == "service_failed"


def test_worker_waits_for_an_unavailable_database(
    producer: ReplyWorker, log: Log, turn: Turn, conversation: Conversation, upstream, monkeypatch
):
    from core.database import DatabaseUnavailable

    end, failures = log.end, [DatabaseUnavailable(), DatabaseUnavailable()]

    def flaky(*args) -> bool:
        if failures:
            raise failures.pop()
        return end(*args)

    monkeypatch.setattr(log, "end", flaky)
    producer.start_reply(AddedTurn(conversation, turn, is_new=True))
    upstream.next_call().start_stream().complete("Hi")

    *_, last = log.follow(turn.id)
    assert build_reply(last).text == "Hi"
