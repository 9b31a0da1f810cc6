"""A reply always ends, whatever fails in its worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

import twinapi
from chat.conversations import Conversation, Conversations
from chat.log.entries import Ended, ReplyState, build_reply
from chat.log.log import Log
from chat.quota import Quota
from chat.reply_worker import ReplyWorker
from chat.turn_rows import AddedTurn, Turn
from chat.turns import Turns
from tests.chat.conftest import SECRET_KEY
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream


@pytest.fixture
def new_worker(log: Log, upstream: Upstream) -> Iterator[Callable[[int], ReplyWorker]]:
    """Return a factory of workers with an hourly limit."""
    client = twinapi.Client(upstream.url, UPSTREAM_KEY)

    def new_worker(limit: int) -> ReplyWorker:
        quota = Quota(log.database, UPSTREAM_KEY, limit=limit, share=1)
        return ReplyWorker(Conversations(log.database), log, client, quota)

    yield new_worker
    client.close()


def new_turns(worker: ReplyWorker) -> Turns:
    return Turns(worker.log.database, worker.log, worker.quota, SECRET_KEY)


@pytest.fixture
def producer(new_worker: Callable[[int], ReplyWorker]) -> ReplyWorker:
    return new_worker(500)


def test_bug_in_the_worker_ends_the_reply_with_an_internal_error(
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


def test_only_sent_requests_count_towards_the_quota(
    producer: ReplyWorker,
    log: Log,
    turn: Turn,
    conversation: Conversation,
    upstream: Upstream,
    quota: Quota,
):
    upstream.answers["/api/v1/conversations"] = 500, {}
    producer.write_reply(conversation, turn)
    assert quota.remaining().remaining == 499

    upstream.stop()
    added = new_turns(producer).add("alice", conversation.id, "Next", "key 2")
    producer.write_reply(added.conversation, added.turn)
    assert build_reply(log.read(added.turn.id)).code == "not_connected"
    assert quota.remaining().remaining == 499


STOPPED = Ended(ReplyState.STOPPED)


@pytest.mark.parametrize("is_other_process", [False, True])
def test_reply_stopped_before_its_first_request_sends_nothing_and_uses_no_quota(
    producer: ReplyWorker,
    log: Log,
    turn: Turn,
    conversation: Conversation,
    upstream: Upstream,
    quota: Quota,
    new_log: Callable[[], Log],
    is_other_process: bool,
):
    (new_log() if is_other_process else log).end(turn.id, STOPPED)

    producer.write_reply(conversation, turn)

    assert upstream.calls == []
    assert quota.remaining().remaining == 500
    assert build_reply(log.read(turn.id)).state is ReplyState.STOPPED


@pytest.mark.parametrize("is_other_process", [False, True])
def test_reply_stopped_before_its_message_is_sent_uses_one_request_of_the_quota(
    producer: ReplyWorker,
    log: Log,
    turn: Turn,
    conversation: Conversation,
    upstream: Upstream,
    quota: Quota,
    new_log: Callable[[], Log],
    is_other_process: bool,
):
    stopping_log = new_log() if is_other_process else log

    def stop_and_create(call: Call) -> None:
        stopping_log.end(turn.id, STOPPED)
        call.respond(201, {"data": {"id": "up-1"}})

    upstream.answers["/api/v1/conversations"] = stop_and_create
    producer.write_reply(conversation, turn)

    assert len(upstream.calls) == 1
    assert quota.remaining().remaining == 499


def test_nothing_is_sent_once_the_process_is_shutting_down(
    producer: ReplyWorker,
    log: Log,
    turn: Turn,
    conversation: Conversation,
    upstream: Upstream,
    quota: Quota,
):
    log.close()

    producer.write_reply(conversation, turn)

    assert upstream.calls == []
    assert quota.remaining().remaining == 500
    reply = build_reply(log.read(turn.id))
    assert (reply.code, reply.perhaps_received) == ("shutting_down", False)


def test_second_request_to_a_service_without_streams_counts_towards_the_quota(
    producer: ReplyWorker,
    turn: Turn,
    conversation: Conversation,
    upstream: Upstream,
    quota: Quota,
):
    path = "/api/v1/conversations/up-1/messages"
    upstream.answers = {f"{path}/stream": (405, {}), path: (201, {"data": {"content": "Hi"}})}

    producer.write_reply(conversation, turn)

    assert len(upstream.calls) == 3
    assert quota.remaining().remaining == 497


def test_second_request_to_a_service_without_streams_is_not_sent_beyond_the_quota(
    log: Log, upstream: Upstream, new_worker: Callable[[int], ReplyWorker]
):
    upstream.answers["/api/v1/conversations/up-1/messages/stream"] = 405, {}
    worker = new_worker(2)
    added = new_turns(worker).start_conversation("bob", "ada", "Ada", "Hello", "key")

    worker.write_reply(added.conversation, added.turn)

    assert len(upstream.calls) == 2
    reply = build_reply(log.read(added.turn.id))
    assert (reply.code, reply.perhaps_received) == ("quota_used_up", False)


@pytest.mark.limit("L22")
def test_repeated_requests_of_a_message_count_towards_the_quota(
    producer: ReplyWorker,
    log: Log,
    turn: Turn,
    conversation: Conversation,
    upstream: Upstream,
    quota: Quota,
):
    path = "/api/v1/conversations/up-1/messages/stream"
    upstream.answers[path] = 409, {}
    producer.conflict_retry_delays = 0, 0

    producer.write_reply(conversation, turn)

    assert len([call for call in upstream.calls if call.path == path]) == 3
    assert quota.remaining().remaining == 500 - len(upstream.calls)


def test_message_is_not_repeated_when_the_quota_is_used_up(
    log: Log, upstream: Upstream, new_worker: Callable[[int], ReplyWorker]
):
    upstream.answers["/api/v1/conversations/up-1/messages/stream"] = 409, {}
    worker = new_worker(2)
    added = new_turns(worker).start_conversation("bob", "ada", "Ada", "Hello", "key")

    worker.write_reply(added.conversation, added.turn)

    assert build_reply(log.read(added.turn.id)).code == "conflict"
    assert len(upstream.calls) == 2


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
