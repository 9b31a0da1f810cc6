"""kill -9 at a random instant, again and again: is every message there, and there once?"""

from __future__ import annotations

import os
import random
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.person import Person
from tests.support.processes import free_port
from tools.chaos.measures import rows, running_replies
from tools.chaos.people import Said, each, kept_share, look_until_ended, shares, somebodies
from tools.chaos.processes import Service, scripted_service, serving
from tools.chaos.report import Promises, Report, at_least, at_most, only

SWEEP_SECONDS = 15

PROMISES: Promises = {
    "acknowledged_share": at_least(0.99),
    "lost": at_most(0),
    "doubled": at_most(0),
    "calls_doubled": at_most(0),
    "states": only("complete", "interrupted"),
    "without_retry": at_most(0),
    "left_running": at_most(0),
    "slowest_seconds": at_most(10),
    "kept_min": at_least(0.99),
    "kept_overall": at_least(0.99),
}


@dataclass
class Crashes:
    """Everything that was said, and what became of it."""

    data: Path
    service: Service
    people: list[Person]
    dice: random.Random
    port: int
    said: list[Said] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)
    counted: list[tuple[int, int]] = field(default_factory=list)
    pressed_again: int = 0

    def one(self, number: int, streams: int, words: int, gap: float) -> None:
        """Begin conversations, kill the portal or a worker of it, and see what is left."""
        settings = {"WORKERS": str(1 + number % 2)}
        with ExitStack() as stack:
            portal = stack.enter_context(serving(self.data, self.port, self.service, **settings))
            killing, said = threading.Event(), self._to_say(number, streams, words, gap)
            for first in said[: len(self.people)]:
                first.open()  # however slow the machine is, somebody has something to send
            speaking = threading.Thread(target=self._speak, args=(said, killing))
            speaking.start()
            # While they are still being sent, or later.
            time.sleep(self.dice.uniform(0.05, self.dice.choice((0.6, words * gap))))
            killing.set()
            killed_at = time.monotonic()
            if number // 2 % 2:
                os.kill(self.dice.choice(portal.workers), signal.SIGKILL)
                served_at = portal.wait_until_it_answers()
            else:
                portal.kill()
                portal = stack.enter_context(
                    serving(self.data, self.port, self.service, **settings)
                )
                served_at = time.monotonic()
            speaking.join()
            self._see(said, number, killed_at, served_at)

    def report(self) -> Report:
        """Count, over all rounds."""
        stored = dict(rows(self.data, "SELECT content, count(*) FROM turns GROUP BY content"))
        called = {content: seen["count"] for content, seen in self.service.seen().items()}
        known = [one.content for one in self.said if one.acknowledged]
        return {
            "messages": len(self.said),
            "acknowledged": len(known),
            "acknowledged_share": round(len(known) / max(1, len(self.said)), 3),
            "pressed_again": self.pressed_again,
            "lost": sum(content not in stored for content in known),
            "doubled": sum(count > 1 for count in stored.values()),
            "calls_doubled": sum(count > 1 for count in called.values()),
            "states": dict(Counter(one.state for one in self.said if one.acknowledged)),
            "without_retry": sum(one.state == "interrupted" and not one.retry for one in self.said),
            "left_running": self._left_running(),
            "slowest_seconds": round(max(self.waits, default=0), 2),
            **kept_share(self.counted),
        }

    def _to_say(self, number: int, streams: int, words: int, gap: float) -> list[Said]:
        return [
            Said(self.people[n % len(self.people)], f"n={words} gap={gap} tag=r{number}s{n}.")
            for n in range(streams)
        ]

    def _speak(self, said: Sequence[Said], killing: threading.Event) -> None:
        def speak(person: Person) -> None:
            for one in said:
                if one.person is person and not killing.is_set():
                    one.press()

        each(self.people, speak)

    def _see(self, said: Sequence[Said], number: int, killed_at: float, served_at: float) -> None:
        pressed = [one for one in said if one.action]
        again = [one for one in pressed if not one.acknowledged]
        for one in again:
            one.press()
        self.pressed_again += len(again)
        look_until_ended([one for one in pressed if one.acknowledged])
        seen = self.service.seen(f"r{number}s")
        self.said += pressed
        self.waits += [
            one.ended_at - served_at if one.ended_at else float("inf")
            for one in pressed
            if one.acknowledged
        ]
        self.counted += shares(pressed, seen, killed_at - 1)

    def _left_running(self) -> int:
        """Count replies without an end that a fresh start does not end by itself."""
        if running_replies(self.data):
            with serving(self.data, self.port, self.service):
                give_up = time.monotonic() + SWEEP_SECONDS
                while running_replies(self.data) and time.monotonic() < give_up:
                    time.sleep(0.5)
        return running_replies(self.data)


def crash(
    rounds: int = 100,
    streams: int = 20,
    *,
    words: int = 100,
    gap: float = 0.07,
    seed: int | None = None,
) -> Report:
    """Crash the portal so many times, with so many replies running."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(scripted_service())
        port, dice = free_port(), random.Random(seed)  # noqa: S311
        people = stack.enter_context(somebodies(port))
        crashes = Crashes(data, service, people, dice, port)
        for number in range(rounds):
            crashes.one(number, streams, words, gap)
        return crashes.report()
