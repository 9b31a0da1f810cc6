"""A reply always ends, whatever fails in its worker."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import cast

import pytest

from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twindow import twinapi
from twindow.chat.catalogue import TwinCatalogue, TwinListStore
from twindow.chat.conversations import Conversation, Conversations
from twindow.chat.limits import ServiceQuota
from twindow.chat.log.entries import Ended, Reply, ReplyState, build_reply
from twindow.chat.log.log import Log
from twindow.chat.reply_worker import ReplyWorker
from twindow.chat.submissions import AddedTurn
from twindow.chat.turns import Turn
from twindow.core.db.errors import DatabaseUnavailable
from twindow.twinapi import ReplyStream

WriteReply = Callable[[], Reply]


@pytest.fixture
def worker(log: Log, upstream: Upstream, quota: ServiceQuota) -> Iterator[ReplyWorker]:
    client = twinapi.Client(upstream.url, UPSTREAM_KEY)
    twins = TwinCatalogue(client, TwinListStore(log.database, client.base_url))
    yield ReplyWorker(Conversations(log.database), log, twins, quota)
    client.close()


@pytest.fixture
def write_reply(
    worker: ReplyWorker, log: Log, turn: Turn, conversation: Conversation
) -> WriteReply:
    """Return a function that lets the worker write the reply, and returns the reply."""

    def write_reply() -> Reply:
        worker.write_reply(conversation, turn)
        return build_reply(log.read(turn.id))

    return write_reply


def test_bug_in_the_worker_ends_the_reply_with_an_internal_error(
    worker: ReplyWorker, write_reply: WriteReply, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(worker, "_send_with_retries", lambda *_: 1 / 0)

    reply = write_reply()
    assert (reply.state, reply.code) == (ReplyState.FAILED, "internal_error")


def test_failed_conversation_creation_leaves_the_message_unsent(
    write_reply: WriteReply, upstream: Upstream
):
    upstream.answers["/api/v1/conversations"] = 500, {}

    reply = write_reply()
    assert (reply.code, reply.perhaps_received) == ("service_failed", False)


STOPPED = Ended(ReplyState.STOPPED)


@pytest.mark.parametrize("is_other_process", [False, True])
@pytest.mark.parametrize("is_before_first_request", [False, True])
def test_message_of_a_reply_that_is_stopped_before_it_is_sent_is_not_sent(
    write_reply: WriteReply,
    log: Log,
    turn: Turn,
    upstream: Upstream,
    new_log: Callable[[], Log],
    *,
    is_other_process: bool,
    is_before_first_request: bool,
):
    stopping_log = new_log() if is_other_process else log

    def stop_and_create(call: Call) -> None:
        stopping_log.end(turn.id, STOPPED)
        call.respond(201, {"data": {"id": "up-1"}})

    upstream.answers["/api/v1/conversations"] = stop_and_create
    if is_before_first_request:
        stopping_log.end(turn.id, STOPPED)

    assert write_reply().state is ReplyState.STOPPED
    assert len(upstream.calls) == (0 if is_before_first_request else 1)


def test_nothing_is_sent_once_the_process_is_shutting_down(
    write_reply: WriteReply, log: Log, upstream: Upstream
):
    log.close()

    reply = write_reply()
    assert upstream.calls == []
    assert (reply.code, reply.perhaps_received) == ("shutting_down", False)


def test_reply_that_has_ended_is_not_reported_as_empty(
    worker: ReplyWorker, log: Log, turn: Turn, caplog: pytest.LogCaptureFixture
):
    log.end(turn.id, STOPPED)

    ended = worker._relay_events(turn, "up-1", cast(ReplyStream, [twinapi.Complete(None)]))

    assert ended == STOPPED
    assert caplog.messages == []


def test_end_of_a_reply_that_has_ended_is_not_stored_again(
    worker: ReplyWorker, write_reply: WriteReply, log: Log, turn: Turn, monkeypatch
):
    def stop_meanwhile(*_: object) -> Ended:
        log.end(turn.id, STOPPED)
        monkeypatch.setattr(log, "end", lambda *_: pytest.fail("the end was stored again"))
        return Ended(ReplyState.COMPLETE, text="One.")

    monkeypatch.setattr(worker, "_send_with_retries", stop_meanwhile)
    assert write_reply().state is ReplyState.STOPPED


STREAM = "/api/v1/conversations/up-1/messages/stream"
CANCEL = "/api/v1/conversations/up-1/messages/m-1"


@pytest.fixture
def instant_sleep(worker: ReplyWorker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the worker's clock advance instead of sleeping."""
    monkeypatch.setattr(worker._clock, "sleep", worker._clock.advance)


def refuse_as_still_replying(call: Call) -> None:
    call.respond(409, {}, retry_after="5", link=f'<{CANCEL}>; rel="cancel"')


@pytest.mark.usefixtures("instant_sleep")
def test_worker_asks_again_until_another_process_of_the_service_has_ended_the_reply(
    worker: ReplyWorker, write_reply: WriteReply, turn: Turn, upstream: Upstream
):
    started_at = worker._clock.monotonic()
    with ThreadPoolExecutor(1) as pool:
        writing = pool.submit(write_reply)
        for _ in range(20):
            refuse_as_still_replying(upstream.next_call())
        upstream.next_call().start_stream().complete("Whole")
        assert writing.result(10).text == "Whole"

    assert 80 < worker._clock.monotonic() - started_at < 100
    keys = {call.headers["Idempotency-Key"] for call in upstream.calls if call.path == STREAM}
    assert keys == {f'"{turn.idempotency_key}"'}


@pytest.mark.usefixtures("instant_sleep")
@pytest.mark.parametrize(("retry_after", "most_calls"), [("5", 130), ("0", 20)])
def test_worker_waits_for_another_process_neither_forever_nor_without_pauses(
    worker: ReplyWorker,
    write_reply: WriteReply,
    upstream: Upstream,
    retry_after: str,
    most_calls: int,
):
    upstream.answers[STREAM] = lambda call: call.respond(409, {}, retry_after=retry_after)
    worker.conflict_timeout_seconds = 600 if retry_after == "5" else 60

    assert write_reply().code == "conflict"
    assert len(upstream.calls) < most_calls


@pytest.mark.parametrize("moment", ["during the pause", "at its end", "during a request"])
def test_person_who_stops_a_reply_of_another_process_stops_it_at_the_service(
    worker: ReplyWorker,
    write_reply: WriteReply,
    log: Log,
    turn: Turn,
    upstream: Upstream,
    monkeypatch: pytest.MonkeyPatch,
    moment: str,
):
    def refuse(call: Call) -> None:
        if moment == "during a request" and len(upstream.calls) > 2:
            log.end(turn.id, STOPPED)
        refuse_as_still_replying(call)

    def sleep(seconds: float) -> None:
        if moment != "during a request":
            log.end(turn.id, STOPPED)
        worker._clock.advance(seconds if moment != "during the pause" else 0)

    upstream.answers[STREAM] = refuse
    upstream.answers[CANCEL] = 204, None
    monkeypatch.setattr(worker._clock, "sleep", sleep)

    assert write_reply().state is ReplyState.STOPPED
    assert (upstream.calls[-1].method, upstream.calls[-1].path) == ("DELETE", CANCEL)


def test_worker_waits_for_an_unavailable_database(
    worker: ReplyWorker, log: Log, turn: Turn, conversation: Conversation, upstream, monkeypatch
):
    end, failures = log.end, [DatabaseUnavailable(), DatabaseUnavailable()]

    def flaky(*args) -> bool:
        if failures:
            raise failures.pop()
        return end(*args)

    monkeypatch.setattr(log, "end", flaky)
    worker.start_reply(AddedTurn(conversation, turn, is_new=True))
    upstream.next_call().start_stream().complete("Hi")

    *_, last = log.follow(turn.id)
    assert build_reply(last).text == "Hi"
