"""The operator's limits of messages, the service's own limit, and the limits of one person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from typing import Any

import pytest
from sqlalchemy import select

from tests.chat.conftest import (
    make_deletions,
    make_submissions,
    start_conversation,
)
from tests.support.clock import AdjustableClock
from tests.support.databases import on_postgresql
from tests.support.upstream import UPSTREAM_KEY
from twindow.chat.limits import (
    HISTORY_FULL,
    MAX_RUNNING_REPLIES,
    TOO_MANY_REPLIES,
    Sender,
    SendingBlocked,
    SendingStatus,
    ServiceQuota,
)
from twindow.chat.log.entries import Ended, ReplyState
from twindow.chat.log.log import Log
from twindow.chat.schema import counters
from twindow.chat.submissions import PORTAL_BUSY, AddedTurn, Submissions, SubmittedMessage
from twindow.core.db.counters import Counters
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.outbound.retry_after import DEFAULT_RETRY_SECONDS
from twindow.twinapi import RateLimitReport

DONE = Ended(ReplyState.COMPLETE, text="Hi")
HOUR, DAY = 3600, 86_400
NOON = 20_000 * DAY + 12 * HOUR
keys = count()


@pytest.fixture
def clock() -> AdjustableClock:
    """Return a clock that shows noon (UTC), also for the database."""
    clock = AdjustableClock()
    clock.set_wall_clock(NOON)
    return clock


def send(
    submissions: Submissions, person: str = "alice", twin: str = "ada", address: str | None = None
) -> str:
    """Send a first message and end its reply; return "" or why the message was refused."""
    try:
        added = submissions.start_conversation(
            Sender(person, twin, address), twin, SubmittedMessage("Hello", f"key {next(keys)}")
        )
    except SendingBlocked as blocked:
        return blocked.sentence
    submissions.log.end(added.turn.id, DONE)
    return ""


def status(submissions: Submissions, person: str = "alice") -> SendingStatus:
    return submissions.limits.status(Sender(person, "ada"))


def used(log: Log) -> dict[tuple[str, int], int]:
    """Return the counts by scope and length of the window."""
    query = select(counters.c.scope, counters.c.seconds, counters.c.used)
    with log.database.read() as connection:
        return {(scope, seconds): used for scope, seconds, used in connection.execute(query)}


@pytest.mark.both_databases
@pytest.mark.limit("L4", "L12", "L40")
@pytest.mark.parametrize(
    ("limits", "senders", "reason"),
    [
        ("person=5/hour", lambda _: {}, "You've reached your message limit."),
        (
            "person=50/hour, address=5/hour",
            lambda n: {"person": f"visitor {n}", "address": "home"},
            "Your network has reached its message limit.",
        ),
        ("twin=5/hour", lambda n: {"person": str(n)}, "This twin has reached its message limit."),
        ("site=5/day", lambda n: {"person": str(n)}, "This portal has reached its message limit."),
    ],
)
def test_fifty_senders_on_two_processes_send_exactly_the_limit(
    new_log: Callable[[], Log],
    limits: str,
    senders: Callable[[int], dict[str, Any]],
    reason: str,
):
    submissions = [make_submissions(new_log(), limits=limits) for _ in range(2)]

    with ThreadPoolExecutor(50) as pool:
        outcomes = pool.map(lambda n: send(submissions[n % 2], **senders(n)), range(50))

    assert Counter(outcomes) == {"": 5, reason: 45}


def test_limit_of_one_subject_does_not_apply_to_another_and_a_refusal_costs_nothing(log: Log):
    submissions = make_submissions(log, limits="person=1/hour, address=1/hour, twin=3/hour")

    assert not send(submissions, "alice", address="home")
    assert send(submissions, "bob", address="home")
    assert not send(submissions, "bob", address="office")
    assert not send(submissions, "carol", address=None)
    assert send(submissions, "dora", address=None)
    assert not send(submissions, "dora", "leonardo", address=None)


def test_resends_and_failed_messages_count_and_repeated_submissions_do_not(log: Log):
    submissions = make_submissions(log, limits="person=3/hour")
    first = start_conversation(submissions)
    assert not start_conversation(submissions).is_new
    log.end(first.turn.id, Ended(ReplyState.FAILED, code="not_connected"))
    resend = SubmittedMessage("Hello", "key 2", first.turn.id)
    again = submissions.add_turn(first.conversation, resend)
    log.end(again.turn.id, DONE)

    assert used(log) == {("person", HOUR): 2}
    assert not send(submissions)
    assert send(submissions)


@pytest.mark.both_databases
def test_limits_begin_anew_with_each_utc_hour_and_day(log: Log, clock: AdjustableClock):
    submissions = make_submissions(log, limits="person=1/hour, site=2/day")
    assert not send(submissions)
    clock.advance(HOUR - 1)
    with pytest.raises(SendingBlocked) as blocked:
        start_conversation(submissions)
    assert blocked.value.retry_at == NOON + HOUR
    clock.advance(1)
    assert not send(submissions)
    clock.advance(HOUR)
    with pytest.raises(SendingBlocked, match="This portal") as blocked:
        start_conversation(submissions)
    assert blocked.value.retry_at == NOON + 12 * HOUR
    clock.advance(10 * HOUR)
    assert not send(submissions)


@on_postgresql
def test_windows_follow_the_clock_of_the_database(new_log: Callable[..., Log]):
    clock = AdjustableClock()
    clock.advance_to_whole_hour()
    here, ahead = new_log(clock), new_log(clock.skewed(5 * HOUR))

    assert not send(make_submissions(here, limits="person=1/day"))
    assert send(make_submissions(ahead, limits="person=1/day"))


def test_only_the_messages_of_a_person_are_counted_without_a_limit(log: Log):
    submissions = make_submissions(log, limits="none")
    send(submissions, "alice")
    send(submissions, "visitor", address="home")

    assert used(log) == {("person", HOUR): 1}


@pytest.mark.both_databases
def test_counters_are_deleted_when_their_window_has_ended(log: Log, clock: AdjustableClock):
    send(make_submissions(log, limits="person=5/hour, address=5/day"), address="home")

    def kept_after(seconds: float) -> set[tuple[str, int]]:
        clock.set_wall_clock(NOON + seconds)
        Counters(counters).purge(log.database)
        return set(used(log))

    assert kept_after(HOUR - 1) == {("person", HOUR), ("address", DAY)}
    assert kept_after(HOUR) == {("address", DAY)}
    assert kept_after(12 * HOUR) == set()


@pytest.mark.both_databases
def test_last_tenth_of_a_limit_is_shown(log: Log):
    submissions = make_submissions(log, limits="person=10/hour, site=100/day")
    for _ in range(8):
        send(submissions)
    assert status(submissions).messages_left is None

    added = start_conversation(submissions, key="the ninth")

    left = status(submissions).messages_left
    assert left
    assert (left.count, left.is_for_everyone) == (1, False)
    log.end(added.turn.id, DONE)
    message = SubmittedMessage("Hello", "the tenth")
    last = submissions.add_turn(added.conversation, message).sending_status
    assert last
    assert last.messages_left
    assert last.messages_left.count == 0
    assert status(submissions, "bob").messages_left is None


def test_scarcest_limit_is_shown(log: Log, quota: ServiceQuota):
    submissions = make_submissions(log, quota, limits="person=2/hour, site=2/day")
    quota.record_report(RateLimitReport(remaining=30, limit=500, resets_in=600))

    def left() -> tuple[int, bool]:
        left = status(submissions).messages_left
        assert left
        return left.count, left.is_for_everyone

    assert left() == (30, True)
    send(submissions, "bob")
    send(submissions, "bob")
    assert left() == (0, True)


def test_new_conversation_needs_two_requests_of_the_service_and_a_further_message_one(
    log: Log, quota: ServiceQuota, submissions: Submissions
):
    added = start_conversation(submissions)
    log.end(added.turn.id, DONE)
    quota.record_report(RateLimitReport(remaining=1, limit=100, resets_in=600))

    assert send(submissions) == "This portal has reached its message limit."
    with log.database.write() as connection:
        connection.exec_driver_sql("UPDATE conversations SET service_id = 'up-1'")
    assert submissions.add_turn(added.conversation, SubmittedMessage("Hello", "key 2")).is_new


@pytest.mark.both_databases
def test_limits_of_a_newer_request_are_kept_in_all_processes(
    new_log: Callable[[], Log], quota: ServiceQuota, submissions: Submissions
):
    other = ServiceQuota(new_log().database, UPSTREAM_KEY)
    other.record_report(RateLimitReport(remaining=0, limit=100, resets_in=600, elapsed=1))
    quota.record_report(RateLimitReport(remaining=50, limit=100, resets_in=600, elapsed=5))

    assert send(submissions)


def test_reported_limit_expires_with_its_window(quota: ServiceQuota, submissions: Submissions):
    quota.record_report(RateLimitReport(remaining=0, limit=100, resets_in=-1))

    assert not send(submissions)


@pytest.mark.both_databases
@pytest.mark.parametrize("retry_after", [None, 600])
def test_refusal_of_the_service_blocks_everyone_until_its_end(
    new_log: Callable[[], Log],
    quota: ServiceQuota,
    submissions: Submissions,
    retry_after: float | None,
):
    other = ServiceQuota(new_log().database, UPSTREAM_KEY)
    retry_at = other.record_refusal(retry_after)
    other.record_refusal(0)  # a shorter wait does not replace a longer one

    with pytest.raises(SendingBlocked, match="too many requests") as blocked:
        start_conversation(submissions, "bob")

    expected = submissions.database.clock.time() + (retry_after or DEFAULT_RETRY_SECONDS)
    assert retry_at == pytest.approx(expected, abs=5)
    assert blocked.value.retry_at == pytest.approx(expected, abs=5)
    assert status(submissions).retry_at == pytest.approx(expected, abs=5)


def test_refusal_applies_neither_to_another_key_nor_to_an_accepted_submission(
    log: Log, quota: ServiceQuota, submissions: Submissions
):
    first = start_conversation(submissions)
    quota.record_refusal(600)

    assert start_conversation(submissions).turn == first.turn
    assert not send(make_submissions(log, ServiceQuota(log.database, "another key")), "bob")


def test_unavailable_database_hides_what_is_left(
    quota: ServiceQuota, submissions: Submissions, monkeypatch: pytest.MonkeyPatch
):
    def fail() -> None:
        raise DatabaseUnavailable

    monkeypatch.setattr(quota.database, "read", fail)
    monkeypatch.setattr(quota.database, "write", fail)

    quota.record_report(RateLimitReport(remaining=1))
    assert quota.record_refusal(60) > 0
    assert status(submissions) == SendingStatus()


@pytest.mark.both_databases
@pytest.mark.limit("L64")
def test_parallel_messages_start_no_more_replies_than_the_limit(log: Log, submissions: Submissions):
    def start(person: str) -> AddedTurn | str:
        try:
            return start_conversation(submissions, person, key=f"key {next(keys)}")
        except SendingBlocked as blocked:
            return blocked.sentence

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(start, ["alice"] * (10 * MAX_RUNNING_REPLIES)))
    added = [outcome for outcome in outcomes if isinstance(outcome, AddedTurn)]

    assert len(added) == MAX_RUNNING_REPLIES
    assert outcomes.count(TOO_MANY_REPLIES) == 9 * MAX_RUNNING_REPLIES
    assert isinstance(start("bob"), AddedTurn)
    log.end(added[0].turn.id, DONE)
    assert isinstance(start("alice"), AddedTurn)


@pytest.mark.limit("L66")
def test_process_writes_no_more_replies_than_the_limit(
    log: Log, submissions: Submissions, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twindow.chat.log.log.MAX_REPLIES_OF_PROCESS", 2)
    first = start_conversation(submissions, key="1")
    second = start_conversation(submissions, "bob", key="1")
    for number in range(20):
        with pytest.raises(SendingBlocked, match=PORTAL_BUSY):
            start_conversation(submissions, "carla", key=str(number))

    assert start_conversation(submissions, "bob", key="1").turn == second.turn
    log.end(first.turn.id, DONE)
    assert start_conversation(submissions, "carla", key="1").is_new


@pytest.mark.limit("L3")
def test_person_keeps_no_more_messages_than_the_limit(log: Log):
    submissions = make_submissions(log, history_limit=3)
    first = start_conversation(submissions)
    log.end(first.turn.id, DONE)
    submissions.add_turn(first.conversation, SubmittedMessage("And now?", "key"))
    start_conversation(submissions, key="another key")

    assert {send(submissions) for _ in range(27)} == {HISTORY_FULL}
    assert not start_conversation(submissions, key="another key").is_new
    assert not send(submissions, "bob")
    make_deletions(log).delete(first.conversation.id, "alice")
    assert not send(submissions)
