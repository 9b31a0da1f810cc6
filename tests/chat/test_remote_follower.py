"""Following the replies of other processes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import exc

from tests.support.waiting import wait_until
from twindow.chat.log import store
from twindow.chat.log.buffers import LogBuffer
from twindow.chat.log.entries import Ended, ReplyState, build_reply, join_text
from twindow.chat.log.log import Log
from twindow.chat.turns import Turn
from twindow.core.clock import SYSTEM_CLOCK
from twindow.twinapi import Delta


def test_remote_readers_of_one_log_share_one_poll(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    looks: list[int] = []
    read_on = store.read_after

    def counted(connection, cursors):
        looks.append(len(cursors))
        return read_on(connection, cursors)

    monkeypatch.setattr(store, "read_after", counted)
    readers = [other.follow(turn.id) for _ in range(20)]
    log.append(turn.id, Delta("Hello"))
    log.flush()
    with ThreadPoolExecutor(20) as pool:
        batches = list(pool.map(next, readers))

    assert {join_text(batch.entries) for batch in batches} == {"Hello"}
    assert set(looks) == {1}
    for reader in readers:
        reader.close()
    assert other._remote_follower._mirrors == {}


def test_entries_from_another_process_are_added_only_in_order_and_before_the_reply_ends():
    mirror = LogBuffer(SYSTEM_CLOCK)
    mirror.mirror([(4, Delta("4"))])
    assert mirror.entries == ()
    mirror.mirror([(1, Delta("1")), (2, Delta("2"))])
    mirror.mirror([(1, Delta("1"))])
    assert join_text(mirror.entries) == "12"
    mirror.end(Ended(ReplyState.COMPLETE))
    mirror.mirror([(3, Delta("3")), (4, Delta("4"))])

    assert mirror.batch(0).is_final


def test_remote_follower_continues_after_exceptions(
    log: Log, turn: Turn, new_log: Callable[[], Log], monkeypatch: pytest.MonkeyPatch
):
    other = new_log()
    follower = other._remote_follower
    poll, faults = follower._poll, [exc.TimeoutError("QueuePool limit"), RuntimeError("bug")]

    def flaky(turn_ids: Sequence[str]) -> None:
        if faults and threading.current_thread() is follower._thread:
            raise faults.pop()
        poll(turn_ids)

    monkeypatch.setattr(follower, "_poll", flaky)
    with ThreadPoolExecutor(1) as pool:
        reader = pool.submit(lambda: [build_reply(batch).state for batch in other.follow(turn.id)])
        wait_until(lambda: not faults)
        log.append(turn.id, Delta("Hello"))
        log.end(turn.id, Ended(ReplyState.COMPLETE, text="Hello"))

        assert reader.result(10)[-1] == ReplyState.COMPLETE
