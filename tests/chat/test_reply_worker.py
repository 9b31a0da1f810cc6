"""Whatever happens, a reply ends."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import twinapi
from chat.conversations import Conversation, Conversations
from chat.log.entries import State, fold
from chat.log.log import Log
from chat.missed_replies import History
from chat.quota import Allowance
from chat.reply_worker import Producer
from chat.turns import Turn, Turns
from tests.support.upstream import KEY, Upstream


@pytest.fixture
def producer(
    log: Log, turns: Turns, allowance: Allowance, upstream: Upstream
) -> Iterator[Producer]:
    client = twinapi.Client(upstream.url, KEY)
    history = History(client, turns, log)
    yield Producer(Conversations(log.database), log, client, allowance, history)
    client.close()


def test_a_bug_while_replying_is_an_end_with_a_sentence(
    producer: Producer, log: Log, turn: Turn, conversation: Conversation, monkeypatch
):
    monkeypatch.setattr(producer, "_ask", lambda *_: 1 / 0)

    producer.reply_now(conversation, turn)

    reply = fold(log.read(turn.id))
    assert reply.state is State.FAILED
    assert "Something went wrong here" in reply.sentence


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_a_reply_that_cannot_be_rendered_is_ended_by_whoever_looks(
    producer: Producer, log: Log, turn: Turn, conversation: Conversation, upstream, monkeypatch
):
    monkeypatch.setattr(log, "render", lambda *_: 1 / 0)
    producer.reply_later(conversation, turn, None)
    upstream.next_call().start_stream().complete("Hi")
    while live := log._live.get(turn.id):
        live.wait(0, timeout=0.01)
    monkeypatch.setattr(log, "render", lambda text, _: text)

    assert fold(log.read_all([turn.id])[turn.id]).state is State.INTERRUPTED


def test_a_conversation_that_cannot_be_made_leaves_the_message_unsent(
    producer: Producer, log: Log, turn: Turn, conversation: Conversation, upstream: Upstream
):
    upstream.answers["/api/v1/conversations"] = 500, {}

    producer.reply_now(conversation, turn)

    reply = fold(log.read(turn.id))
    assert not reply.perhaps_received
    assert reply.sentence.endswith("Your message was not sent.")


def test_a_database_that_is_away_is_waited_for(
    producer: Producer, log: Log, turn: Turn, conversation: Conversation, upstream, monkeypatch
):
    from core.database import DatabaseUnavailable

    end, failures = log.end, [DatabaseUnavailable(), DatabaseUnavailable()]

    def flaky(*args) -> bool:
        if failures:
            raise failures.pop()
        return end(*args)

    monkeypatch.setattr(log, "end", flaky)
    producer.reply_later(conversation, turn, None)
    upstream.next_call().start_stream().complete("Hi")

    *_, last = log.follow(turn.id)
    assert fold(last).text == "Hi"
