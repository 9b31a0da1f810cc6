"""The queue in which replies wait for the model."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest

from tests.support.waiting import wait_until
from twindow.service.conversations.queue import QueueAbandoned, ReplyQueue


class QueuedReply:
    """A reply that waits for a slot and then holds the slot until `release` is called."""

    def __init__(self, queue: ReplyQueue, pool: ThreadPoolExecutor) -> None:
        self.positions: list[int] = []
        self.has_slot = threading.Event()
        self.is_abandoned = threading.Event()
        self._is_released = threading.Event()
        self.result: Future[None] = pool.submit(self._run, queue)

    def _run(self, queue: ReplyQueue) -> None:
        with queue.slot(self.positions.append, self.is_abandoned.is_set):
            self.has_slot.set()
            assert self._is_released.wait(10)

    def release(self) -> None:
        self._is_released.set()
        self.result.result(10)


class Replies:
    """Queue replies one after another, and release all of them at the end."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self._pool = pool
        self.all: list[QueuedReply] = []

    def add(self, queue: ReplyQueue) -> QueuedReply:
        reply = QueuedReply(queue, self._pool)
        self.all.append(reply)
        wait_until(lambda: reply.has_slot.is_set() or bool(reply.positions))
        return reply

    def running(self) -> list[QueuedReply]:
        return [reply for reply in self.all if reply.has_slot.is_set() and not reply.result.done()]


@pytest.fixture
def replies() -> Iterator[Replies]:
    with ThreadPoolExecutor(20) as pool:
        replies = Replies(pool)
        yield replies
        for reply in replies.all:
            reply.is_abandoned.set()
            reply._is_released.set()


@pytest.mark.limit("L50")
def test_replies_get_slots_in_order_of_arrival(replies: Replies):
    queue = ReplyQueue(2)
    arrivals = [replies.add(queue) for _ in range(20)]

    for number in range(18):
        assert replies.running() == arrivals[number : number + 2]
        arrivals[number].release()
        assert arrivals[number + 2].has_slot.wait(10)


def test_waiting_reply_is_told_when_its_position_changes(replies: Replies):
    queue = ReplyQueue(1)
    first, second, third = (replies.add(queue) for _ in range(3))

    assert (first.positions, second.positions, third.positions) == ([], [0], [1])
    first.release()
    wait_until(lambda: third.positions == [1, 0])
    assert second.has_slot.is_set()


def test_abandoned_reply_leaves_the_queue_and_the_next_moves_up(replies: Replies):
    queue = ReplyQueue(1)
    first, second, third = (replies.add(queue) for _ in range(3))

    second.is_abandoned.set()

    with pytest.raises(QueueAbandoned):
        second.result.result(10)
    wait_until(lambda: third.positions == [1, 0])
    first.release()
    assert third.has_slot.wait(10)


def test_reply_abandoned_before_queueing_gets_no_slot():
    with pytest.raises(QueueAbandoned), ReplyQueue(1).slot(print, lambda: True):
        raise AssertionError("it got a slot")


def test_slot_is_released_after_an_exception(replies: Replies):
    queue = ReplyQueue(1)

    with pytest.raises(ZeroDivisionError), queue.slot(print, lambda: False):
        raise ZeroDivisionError

    assert replies.add(queue).has_slot.is_set()
