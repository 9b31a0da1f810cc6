"""What the key still holds, and who may use it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from sqlalchemy import update

from chat import schema
from chat.log.entries import Ended, ReplyState
from chat.log.log import Log
from chat.quota import Quota, SendingBlocked
from chat.turns import Turns
from tests.support.clock import AdjustableClock
from tests.support.upstream import UPSTREAM_KEY
from twinapi import Limits

DATABASES = ["sqlite", "postgresql"]
NOT_RECEIVED = Ended(ReplyState.FAILED, sentence="no")
DONE = Ended(ReplyState.COMPLETE, text="Hello")

Say = Callable[..., None]


@pytest.fixture
def say(log: Log, quota: Quota) -> Say:
    """Return somebody's way to say something and be answered."""
    turns = Turns(log.database, log, quota)
    said = iter(range(10_000))

    def say(person: str, ended: Ended = DONE) -> None:
        turn = turns.start_conversation(person, "ada", "Ada", "Hello", f"press {next(said)}").turn
        log.end(turn.id, ended)

    return say


def check(quota: Quota, person: str) -> None:
    with quota.database.read() as connection:
        quota.check(connection, person)


def left(quota: Quota) -> int:
    return quota.remaining().remaining


def test_without_a_word_of_the_service_we_count_ourselves(quota: Quota, say: Say):
    assert left(quota) == 500
    say("alice")
    say("bob")
    assert left(quota) == 496  # each a conversation and a message


def test_what_the_service_says_counts_and_what_came_since(quota: Quota, say: Say):
    say("alice")
    quota.record_limits(Limits(remaining=80, limit=100, resets_in=600))
    assert left(quota) == 80
    say("alice")
    assert left(quota) == 78


def test_what_the_service_said_of_an_hour_that_is_over_counts_no_more(quota: Quota):
    quota.record_limits(Limits(remaining=0, limit=100, resets_in=-1))
    assert left(quota) == 100


def test_what_the_service_never_received_is_not_counted(quota: Quota, say: Say):
    say("alice", NOT_RECEIVED)
    assert left(quota) == 500


def test_an_hour_ago_is_forgotten(quota: Quota, say: Say, log: Log):
    say("alice")
    with log.database.write() as connection:
        connection.execute(update(schema.turns).values(created_at=time.time() - 3601))
    assert left(quota) == 500


def test_one_person_leaves_half_to_the_others(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=40, share=0.5)
    for _ in range(10):
        check(allowance, "alice")
        say("alice")

    with pytest.raises(SendingBlocked, match="your share") as refused:
        check(allowance, "alice")
    assert refused.value.retry_at == pytest.approx(time.time() + 3600, abs=60)
    for _ in range(5):
        check(allowance, "bob")
        say("bob")
    with pytest.raises(SendingBlocked, match="your share"):
        check(allowance, "bob")
    check(allowance, "carol")


def test_a_share_of_all_is_no_share(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=4, share=1)
    for _ in range(4):
        check(allowance, "alice")
        say("alice")


def test_nothing_is_sent_when_the_service_has_said_that_nothing_is_left(quota: Quota):
    quota.record_limits(Limits(remaining=0, limit=500, resets_in=90))

    with pytest.raises(SendingBlocked, match="All requests") as refused:
        check(quota, "alice")
    assert refused.value.retry_at == pytest.approx(time.time() + 90, abs=10)


def test_a_refusal_holds_for_everybody_and_for_every_process(
    quota: Quota, new_log: Callable[[], Log]
):
    quota.record_refusal(120)
    other = Quota(new_log().database, UPSTREAM_KEY, limit=500, share=0.5)

    for person in ("alice", "bob"):
        with pytest.raises(SendingBlocked, match="too many requests"):
            check(other, person)


def test_the_same_press_is_the_same_turn_also_when_nothing_more_may_be_sent(log: Log, quota: Quota):
    turns = Turns(log.database, log, quota)
    first = turns.start_conversation("alice", "ada", "Ada", "Hello", "key")
    log.end(first.turn.id, DONE)
    quota.record_refusal(120)

    assert turns.start_conversation("alice", "ada", "Ada", "Hello", "key").turn == first.turn
    with pytest.raises(SendingBlocked):
        turns.add(first.conversation, "more", "another key")


def test_a_key_that_may_only_read_is_remembered_for_a_while(quota: Quota, clock: AdjustableClock):
    assert quota.status().can_send
    quota.record_forbidden()
    assert not quota.status().can_send
    with pytest.raises(SendingBlocked, match="may only read"):
        check(quota, "alice")
    clock.advance(61)
    assert quota.status().can_send


def test_refusals_that_come_together_are_one(quota: Quota):
    now = time.time()
    waits = [quota.record_refusal(None) - now for _ in range(5)]

    assert waits == pytest.approx([60] * 5, abs=5)


def test_a_shorter_wait_does_not_shorten_a_longer_one(quota: Quota):
    until = quota.record_refusal(3000)

    assert quota.record_refusal(0) == pytest.approx(until)
    with pytest.raises(SendingBlocked):
        check(quota, "alice")


def test_a_clock_that_was_set_back_makes_nobody_wait(quota: Quota, clock: AdjustableClock):
    quota.record_refusal(60)
    quota.record_limits(Limits(remaining=0, limit=500, resets_in=60))
    clock.jump_wall_clock(-86_400)

    check(quota, "alice")


def test_when_a_new_hour_has_begun_at_the_service_somebody_may_find_out(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=8, share=0.5)
    for person in ("alice", "bob", "carol"):
        say(person)
    with pytest.raises(SendingBlocked):
        check(allowance, "alice")
    allowance.record_limits(Limits(remaining=2, limit=8, resets_in=0))

    check(allowance, "alice")


def test_a_person_is_counted_over_the_time_that_the_limit_is_for(log: Log, quota: Quota, say: Say):
    for _ in range(9):
        say("alice")
    with log.database.write() as connection:
        connection.execute(update(schema.turns).values(created_at=time.time() - 90))
    quota.record_limits(Limits(remaining=9, limit=10, resets_in=30, window=60))

    check(quota, "alice")


def test_what_was_said_of_one_key_does_not_hold_for_another(log: Log, quota: Quota):
    quota.record_refusal(3000)

    check(Quota(log.database, "another key", limit=500, share=0.5), "alice")


def test_the_key_itself_is_not_kept(log: Log, quota: Quota):
    quota.record_refusal(60)
    with log.database.read() as connection:
        assert UPSTREAM_KEY not in str(connection.execute(schema.allowances.select()).all())
