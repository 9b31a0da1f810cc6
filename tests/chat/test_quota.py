"""The hourly quota of the API key: what remains of it, and whose requests are blocked."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import update

from chat import schema
from chat.log.entries import Ended, ReplyState, build_reply
from chat.log.log import Log
from chat.quota import Quota, SendingBlocked
from chat.turns import Turns
from tests.chat.conftest import SECRET_KEY, on_postgresql, skewed_clock
from tests.support.clock import AdjustableClock
from tests.support.upstream import UPSTREAM_KEY
from twinapi import Limits

DATABASES = ["sqlite", "postgresql"]
NOT_RECEIVED = Ended(ReplyState.FAILED, code="not_connected", unsent_requests=2)
DONE = Ended(ReplyState.COMPLETE, text="Hello")

Say = Callable[..., None]


@pytest.fixture
def say(log: Log, quota: Quota) -> Say:
    """Return a function that sends a message of a person and ends its reply."""
    turns = Turns(log.database, log, quota, SECRET_KEY)
    said = iter(range(10_000))

    def say(person: str, ended: Ended = DONE, address_hashes: Sequence[str] = ()) -> None:
        turn = turns.start_conversation(
            person, "ada", "Ada", "Hello", f"press {next(said)}", address_hashes
        ).turn
        log.end(turn.id, ended)

    return say


def check(quota: Quota, person: str, address_hashes: Sequence[str] = ()) -> None:
    with quota.database.read() as connection:
        quota.check(connection, person, address_hashes)


def remaining_requests(quota: Quota) -> int:
    return quota.remaining().remaining


def test_own_requests_are_counted_when_the_service_reports_no_limits(quota: Quota, say: Say):
    assert remaining_requests(quota) == 500
    say("alice")
    say("bob")
    assert (
        remaining_requests(quota) == 496
    )  # each person sent two requests: the conversation and the message


def test_reported_quota_is_reduced_by_later_requests(quota: Quota, say: Say):
    say("alice")
    quota.record_limits(Limits(remaining=80, limit=100, resets_in=600))
    assert remaining_requests(quota) == 80
    say("alice")
    assert remaining_requests(quota) == 78


def test_reported_quota_expires_with_its_window(quota: Quota):
    quota.record_limits(Limits(remaining=0, limit=100, resets_in=-1))
    assert remaining_requests(quota) == 100


def test_undelivered_messages_do_not_count(quota: Quota, say: Say):
    say("alice", NOT_RECEIVED)
    assert remaining_requests(quota) == 500


def test_requests_older_than_an_hour_do_not_count(quota: Quota, say: Say, log: Log):
    say("alice")
    with log.database.write() as connection:
        connection.execute(update(schema.turns).values(created_at=time.time() - 3601))
    assert remaining_requests(quota) == 500


@pytest.mark.limit("L4")
def test_person_cannot_use_more_than_their_share_of_the_quota(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=40, share=0.5)
    for _ in range(10):
        check(allowance, "alice")
        say("alice")

    for _ in range(90):
        with pytest.raises(SendingBlocked, match="your share") as refused:
            check(allowance, "alice")
    assert refused.value.retry_at == pytest.approx(time.time() + 3600, abs=60)
    for _ in range(5):
        check(allowance, "bob")
        say("bob")
    with pytest.raises(SendingBlocked, match="your share"):
        check(allowance, "bob")
    check(allowance, "carol")


def test_person_share_of_100_percent_allows_exactly_the_whole_quota(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=8, share=1)
    for _ in range(4):
        check(allowance, "alice")
        say("alice")

    with pytest.raises(SendingBlocked, match="This portal has reached its hourly limit") as refused:
        check(allowance, "bob")
    assert refused.value.retry_at == pytest.approx(time.time() + 3600, abs=60)


def test_people_at_one_address_share_a_part_of_the_quota(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=40, share=0.5, address_share=0.75)
    for number in range(15):
        check(allowance, f"cookie {number}", ["home"])
        say(f"cookie {number}", address_hashes=["home"])

    with pytest.raises(SendingBlocked, match="Your network") as refused:
        check(allowance, "cookie 15", ["home"])
    assert refused.value.retry_at == pytest.approx(time.time() + 3600, abs=60)
    check(allowance, "bob", ["elsewhere"])


def test_hashes_of_one_address_from_two_days_are_counted_together(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=8, share=0.1, address_share=0.5)
    say("alice", address_hashes=["yesterday"])
    check(allowance, "bob", ["today", "yesterday"])
    say("bob", address_hashes=["today", "yesterday"])

    with pytest.raises(SendingBlocked, match="Your network"):
        check(allowance, "carol", ["today", "yesterday"])


def test_share_of_an_address_is_at_least_that_of_a_person(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=8, share=1, address_share=0.5)
    for _ in range(4):
        check(allowance, "alice", ["home"])
        say("alice", address_hashes=["home"])


def test_retry_reserves_only_requests_that_remain_in_the_quota(log: Log):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=4, share=1)
    turns = Turns(log.database, log, allowance, SECRET_KEY)
    turn = turns.start_conversation("alice", "ada", "Ada", "Hello", "key").turn

    assert allowance.reserve(turn.id, 2)
    assert remaining_requests(allowance) == 0
    assert not allowance.reserve(turn.id, 1)


def test_message_after_an_undelivered_first_message_needs_two_requests(log: Log, quota: Quota):
    turns = Turns(log.database, log, quota, SECRET_KEY)
    first = turns.start_conversation("alice", "ada", "Ada", "Hello", "key")
    log.end(first.turn.id, NOT_RECEIVED)
    turns.add("alice", first.conversation.id, "Hello", "another key")

    assert remaining_requests(quota) == 498


def test_limit_is_exact_across_processes(log: Log, new_log: Callable[[], Log]):
    logs = [log, new_log()]
    for each in logs:
        each.database.lock_timeout = 30

    def send(number: int) -> bool:
        own_log = logs[number % 2]
        allowance = Quota(own_log.database, UPSTREAM_KEY, limit=10, share=1)
        try:
            Turns(own_log.database, own_log, allowance, SECRET_KEY).start_conversation(
                f"person {number}", "ada", "Ada", "Hello", "key"
            )
        except SendingBlocked:
            return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(send, range(12))) == 5


def test_sending_is_blocked_when_the_service_reports_no_remaining_requests(quota: Quota):
    quota.record_limits(Limits(remaining=0, limit=500, resets_in=90))

    with pytest.raises(SendingBlocked, match="hourly limit") as refused:
        check(quota, "alice")
    assert refused.value.retry_at == pytest.approx(time.time() + 90, abs=10)


def test_rate_limit_refusal_blocks_sending_for_all_people_and_processes(
    quota: Quota, new_log: Callable[[], Log]
):
    quota.record_refusal(120)
    other = Quota(new_log().database, UPSTREAM_KEY, limit=500, share=0.5)

    for person in ("alice", "bob"):
        with pytest.raises(SendingBlocked, match="too many requests"):
            check(other, person)


def test_repeated_idempotency_key_returns_its_turn_while_sending_is_blocked(log: Log, quota: Quota):
    turns = Turns(log.database, log, quota, SECRET_KEY)
    first = turns.start_conversation("alice", "ada", "Ada", "Hello", "key")
    log.end(first.turn.id, DONE)
    quota.record_refusal(120)

    assert turns.start_conversation("alice", "ada", "Ada", "Hello", "key").turn == first.turn
    with pytest.raises(SendingBlocked):
        turns.add("alice", first.conversation.id, "more", "another key")


def test_403_for_two_different_twins_in_a_row_disables_composers_for_a_minute(
    quota: Quota, clock: AdjustableClock
):
    assert not quota.record_forbidden("ada")
    assert not quota.record_forbidden("ada")
    assert quota.status().can_send
    assert quota.record_forbidden("bob")
    assert not quota.status().can_send
    check(quota, "alice")  # messages are still accepted
    clock.advance(61)
    assert quota.status().can_send


def test_accepted_message_resets_the_403_count_and_enables_the_composers(quota: Quota):
    quota.record_forbidden("ada")
    quota.record_acceptance()
    assert not quota.record_forbidden("bob")
    assert quota.record_forbidden("ada")
    quota.record_acceptance()
    assert quota.status().can_send


def test_403_responses_in_a_row_are_counted_across_processes(
    quota: Quota, new_log: Callable[[], Log]
):
    other = Quota(new_log().database, UPSTREAM_KEY, limit=500, share=0.5)
    quota.record_forbidden("ada")
    other.record_acceptance()
    assert not quota.record_forbidden("bob")
    assert other.record_forbidden("ada")


def test_simultaneous_refusals_do_not_extend_the_wait(quota: Quota):
    now = time.time()
    waits = [quota.record_refusal(None) - now for _ in range(5)]

    assert waits == pytest.approx([60] * 5, abs=5)


def test_shorter_refusal_does_not_shorten_a_longer_wait(quota: Quota):
    until = quota.record_refusal(3000)

    assert quota.record_refusal(0) == pytest.approx(until)
    with pytest.raises(SendingBlocked):
        check(quota, "alice")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_clock_set_back_blocks_nobody(quota: Quota, clock: AdjustableClock):
    quota.record_refusal(60)
    quota.record_limits(Limits(remaining=0, limit=500, resets_in=60))
    clock.jump_wall_clock(-86_400)

    check(quota, "alice")


@on_postgresql
@pytest.mark.parametrize("skew", [4, 4000, -4000])
def test_quota_counts_the_requests_of_machines_whose_clocks_differ(
    log: Log, say: Say, new_log: Callable[..., Log], skew: int
):
    here = Quota(log.database, UPSTREAM_KEY, limit=20, share=1)
    there = Quota(new_log(skewed_clock(skew)).database, UPSTREAM_KEY, limit=20, share=1)
    say("alice")
    assert remaining_requests(here) == remaining_requests(there) == 18
    Turns(there.database, log, there, SECRET_KEY).start_conversation(
        "bob", "ada", "Ada", "Hello", "key"
    )
    assert remaining_requests(here) == remaining_requests(there) == 16


@on_postgresql
@pytest.mark.parametrize("skew", [4, 3600, -3600])
def test_wait_after_a_refusal_is_the_same_on_machines_whose_clocks_differ(
    quota: Quota, new_log: Callable[..., Log], skew: int
):
    clock = skewed_clock(skew)
    other = Quota(new_log(clock).database, UPSTREAM_KEY, limit=500, share=1)
    assert quota.record_refusal(120) == pytest.approx(time.time() + 120, abs=10)

    with pytest.raises(SendingBlocked) as refused:
        check(other, "alice")
    assert refused.value.retry_at == pytest.approx(clock.time() + 120, abs=10)
    assert other.status().retry_at == pytest.approx(clock.time() + 120, abs=10)


def test_sending_is_allowed_after_the_service_window_has_reset(log: Log, say: Say):
    allowance = Quota(log.database, UPSTREAM_KEY, limit=8, share=0.5)
    for person in ("alice", "bob", "carol"):
        say(person)
    with pytest.raises(SendingBlocked):
        check(allowance, "alice")
    allowance.record_limits(Limits(remaining=2, limit=8, resets_in=0))

    check(allowance, "alice")


def test_quota_counts_requests_within_its_window(log: Log, quota: Quota, say: Say):
    for _ in range(9):
        say("alice")
    with log.database.write() as connection:
        connection.execute(update(schema.turns).values(created_at=time.time() - 90))
    quota.record_limits(Limits(remaining=9, limit=10, resets_in=30, window=60))

    check(quota, "alice")


def test_refusal_of_one_api_key_does_not_apply_to_another(log: Log, quota: Quota):
    quota.record_refusal(3000)

    check(Quota(log.database, "another key", limit=500, share=0.5), "alice")


def test_quota_table_does_not_contain_the_api_key(log: Log, quota: Quota):
    quota.record_refusal(60)
    with log.database.read() as connection:
        assert UPSTREAM_KEY not in str(connection.execute(schema.allowances.select()).all())


@on_postgresql
def test_last_request_of_the_quota_goes_to_only_one_of_two_simultaneous_messages(
    log: Log, quota: Quota, new_log: Callable[[], Log]
):
    quota.record_limits(Limits(remaining=2, limit=500, resets_in=600))
    other_log = new_log()
    other_log.database.lock_timeout = 10
    other_quota = Quota(other_log.database, UPSTREAM_KEY, limit=500, share=1)
    other = Turns(other_log.database, other_log, other_quota, SECRET_KEY)
    outcomes: list[bool] = []

    def send_bob() -> None:
        try:
            other.start_conversation("bob", "ada", "Ada", "Hello", "key")
        except SendingBlocked:
            outcomes.append(False)
        else:
            outcomes.append(True)

    turns = Turns(log.database, log, quota, SECRET_KEY)
    check, sending = quota.check, Thread(target=send_bob)

    def check_while_the_other_begins(*args: Any, **options: Any) -> None:
        check(*args, **options)
        sending.start()
        sending.join(0.2)  # Bob's message waits for the transaction of Alice's message
        assert outcomes == []

    quota.check = check_while_the_other_begins
    turns.start_conversation("alice", "ada", "Ada", "Hello", "key")
    sending.join(10)

    assert outcomes == [False]


def test_first_message_needs_two_requests(log: Log, quota: Quota):
    quota.record_limits(Limits(remaining=1, limit=500, resets_in=600))

    with pytest.raises(SendingBlocked, match="hourly limit"):
        Turns(log.database, log, quota, SECRET_KEY).start_conversation(
            "alice", "ada", "Ada", "Hello", "key"
        )


def test_late_response_does_not_replace_newer_limits(quota: Quota):
    quota.record_limits(Limits(remaining=10, limit=500, resets_in=600, elapsed=1))
    quota.record_limits(Limits(remaining=400, limit=500, resets_in=600, elapsed=30))

    assert remaining_requests(quota) == 10


def test_all_requests_of_a_stopped_reply_count_until_its_worker_reports_unsent_ones(
    log: Log, quota: Quota
):
    turns = Turns(log.database, log, quota, SECRET_KEY)
    turn = turns.start_conversation("a", "ada", "Ada", "Hi", "key").turn
    log.end(turn.id, Ended(ReplyState.STOPPED, code="stopped"))

    assert remaining_requests(quota) == 498

    for _ in range(2):  # workers report again if the confirmation of a commit is lost
        assert not log.end(turn.id, Ended(ReplyState.STOPPED, unsent_requests=1))
        assert remaining_requests(quota) == 499
    assert build_reply(log.read(turn.id)).code == "stopped"
