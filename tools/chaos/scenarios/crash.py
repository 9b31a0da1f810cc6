"""Repeated kill -9 at random times: each message must exist, and only once."""

from __future__ import annotations

import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

from tests.support.person import Person
from tests.support.processes import ServerProcess, free_port, run_portal
from tests.support.waiting import poll_until
from tools.chaos.report import Expectations, Report, at_least, at_most, only
from tools.chaos.sent_messages import (
    SentMessage,
    count_messages,
    create_people,
    distribute,
    for_each_person,
    poll_until_ended,
    shares,
    summarize_stored,
)
from tools.probes import count_running_replies
from tools.scripted_service import ScriptedService, make_message, run_scripted_service

SWEEP_SECONDS = 15

EXPECTATIONS: Expectations = {
    "acknowledged_share": at_least(0.99),
    "lost": at_most(0),
    "doubled": at_most(0),
    "calls_doubled": at_most(0),
    "states": only("complete", "interrupted"),
    "versions": at_least(1),
    "without_retry": at_most(0),
    "left_running": at_most(0),
    "slowest_seconds": at_most(10),
    "kept_min": at_least(0.99),
    "kept_overall": at_least(0.99),
}


@dataclass
class CrashTest:
    """A crash test: all messages that were sent, and what happened to them."""

    data: Path
    service: ScriptedService
    people: list[Person]
    rng: random.Random
    port: int
    database_url: str = ""
    messages: list[SentMessage] = field(default_factory=list)
    newest: list[SentMessage] = field(default_factory=list)
    recovery_seconds: list[float] = field(default_factory=list)
    stored_counts: list[tuple[int, int]] = field(default_factory=list)
    resubmitted_count: int = 0

    def run_round(self, round_number: int, streams: int, words: int, gap: float) -> None:
        """Start conversations, kill the portal or one of its workers, and record what is left."""
        workers = 2 if self.database_url else 1 + round_number % 2
        tags = [f"r{round_number}s{number}." for number in range(streams)]
        messages = distribute(self.people, [make_message(words, tag, gap=gap) for tag in tags])
        # The people edit some of the messages that they sent in the round before.
        for message, earlier in zip(messages, self.newest, strict=False):
            message.edited = earlier if earlier.ended_at and self.rng.random() < 0.5 else None
        self.newest = messages
        kill_event = threading.Event()

        def send(own_messages: list[SentMessage]) -> None:
            for message in own_messages:
                if not kill_event.is_set():
                    message.submit()

        with ExitStack() as stack:
            portal = stack.enter_context(self._run_portal(workers))
            for message in messages[: len(self.people)]:
                # Load the form now, so that even a slow machine sends a message before the kill.
                message.open_form()
            sender = threading.Thread(target=for_each_person, args=(messages, send))
            sender.start()
            # The kill happens while messages are still being sent, or later.
            time.sleep(self.rng.uniform(0.05, self.rng.choice((0.6, words * gap))))
            kill_event.set()
            killed_at = time.time()
            if round_number // 2 % 2:
                os.kill(self.rng.choice(portal.worker_pids), signal.SIGKILL)
                ready_at = portal.wait_until_ready()
            else:
                portal.kill()
                stack.enter_context(self._run_portal(workers))
                ready_at = time.monotonic()
            sender.join()
            submitted = [message for message in messages if message.action]
            for message in submitted:
                if not message.is_acknowledged:
                    message.submit()
                    self.resubmitted_count += 1
            poll_until_ended(submitted)
        self.messages += submitted
        self.recovery_seconds += [
            message.ended_at - ready_at if message.ended_at else inf
            for message in submitted
            if message.is_acknowledged
        ]
        records = self.service.received_messages(f"r{round_number}s")
        self.stored_counts += shares(submitted, records, killed_at - 1)

    def report(self) -> Report:
        """Return the totals of all rounds."""
        records = self.service.received_messages().values()
        acknowledged = [message for message in self.messages if message.is_acknowledged]
        return {
            **count_messages(self.messages, self.data, self.database_url),
            "versions": sum(message.edited is not None for message in acknowledged),
            "pressed_again": self.resubmitted_count,
            "calls_doubled": sum(record.count > 1 for record in records),
            "states": dict(Counter(message.state for message in acknowledged)),
            "without_retry": sum(
                message.state == "interrupted" and not message.has_retry
                for message in self.messages
            ),
            "left_running": self._count_unfinished_replies(),
            "slowest_seconds": round(max(self.recovery_seconds, default=0), 2),
            **summarize_stored(self.stored_counts),
        }

    def _count_unfinished_replies(self) -> int:
        """Count the replies that still have no end after a restart of the portal."""
        database = self.data, self.database_url
        if count_running_replies(*database):
            with self._run_portal():
                poll_until(lambda: not count_running_replies(*database), SWEEP_SECONDS, 0.5)
        return count_running_replies(*database)

    def _run_portal(self, workers: int = 1) -> AbstractContextManager[ServerProcess]:
        settings = {"DATABASE_URL": self.database_url, "WORKERS": str(workers)}
        return run_portal(self.data, self.service.url, PORT=str(self.port), **settings)


def run(
    rounds: int | None = None,
    streams: int = 20,
    *,
    words: int = 100,
    gap: float = 0.07,
    seed: int = 1,
    database_url: str = "",
) -> Report:
    """Crash the portal `rounds` times, each time with `streams` running replies.

    The default is 100 rounds on SQLite, with alternately one worker and two workers, and 10 rounds
    on PostgreSQL, always with two workers.
    """
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(run_scripted_service())
        port, rng = free_port(), random.Random(seed)  # noqa: S311
        people = stack.enter_context(create_people(port))
        crash_test = CrashTest(data, service, people, rng, port, database_url)
        for number in range(rounds or (10 if database_url else 100)):
            crash_test.run_round(number, streams, words, gap)
        return crash_test.report()
