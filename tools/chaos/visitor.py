"""Somebody who uses the portal at random: talks, leaves, comes back, stops, retries, errs."""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from contextlib import suppress
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import requests

from tests.support.person import Page, Person

PAUSE_SECONDS = (0.5, 2.5)
ENDS = (*("complete",) * 10, "cut", "error", "reset", "429", "500")
KEPT = 20

_numbers = itertools.count()


class Visitor:
    """One person, a random habit, and a count of the answers."""

    def __init__(self, url: str, dice: random.Random, answers: Counter[str]) -> None:
        self.person = Person(url)
        self.person.session.hooks["response"].append(self._count)
        self.dice = dice
        self.answers = answers
        self.errors: list[str] = []
        self.paths: list[str] = []

    def stay(self, stop: threading.Event) -> None:
        """Do something, pause, and so on until told to leave."""
        habits = (
            *(self.begin, self.go_on, self.go_on, self.go_on, self.follow, self.follow),
            *(self.leave, self.leave, self.reload, self.reload, self.stop, self.retry),
            *(self.browse, self.browse, self.err),
        )
        while not stop.wait(self.dice.uniform(*PAUSE_SECONDS)):
            try:
                self.dice.choice(habits if self.paths else (self.begin, self.browse))()
            except Exception as error:  # noqa: BLE001
                self.errors.append(repr(error)[:300])

    def begin(self) -> None:
        """Begin a conversation."""
        page = self.person.begin(self._words())
        if page.status == 200:
            self.paths = [*self.paths, page.path][-KEPT:]

    def go_on(self) -> None:
        """Say something more; the twin may still be replying, and then this is refused."""
        self.person.press(self._page(), "Send", content=self._words())

    def follow(self) -> None:
        """Follow a reply to its end."""
        with self.person.follow(self._turn(), after=self.dice.choice((0, 0, 3, 10**6))) as stream:
            stream.rest()

    def leave(self) -> None:
        """Go away in the middle of a reply."""
        with self.person.follow(self._turn()) as stream:
            list(islice(stream, self.dice.randrange(5)))

    def reload(self) -> None:
        """Look at the same page a few times."""
        path = self.dice.choice(self.paths)
        for _ in range(self.dice.randint(1, 3)):
            self.person.get(path)

    def stop(self) -> None:
        """Stop a reply, if it runs."""
        self._press_if_there("Stop")

    def retry(self) -> None:
        """Retry, if something went wrong."""
        self._press_if_there("Retry")

    def browse(self) -> None:
        """Look at the lists, and search them."""
        for path in ("/", "/?q=ad", "/conversations", "/conversations?q=n%3D1", "/twins/ada"):
            self.person.get(path)

    def err(self) -> None:
        """Ask for what is not there, and send what cannot be read."""
        person, url = self.person, self.person.base_url
        path = self.dice.choice(self.paths)
        person.get("/conversations/nobody-knows")
        person.get("/conversations?page=0&twin=%00")
        person.get(f"{path}?before=-1")
        person.post(f"{path}/turns", {"content": "no token"})
        fields = person.get(path).form("/turns")
        person.post(f"{path}/turns", fields | {"content": "x" * 40_000})
        person.post(f"{path}/turns", fields | {"content": " "})
        person.session.put(url + path, data=b"\xff" * 100, timeout=10)

    def _words(self) -> str:
        dice = self.dice
        return (
            f"n={dice.randint(1, 60)} gap={dice.uniform(0, 0.15):.3f}"
            f" tag=v{next(_numbers)}. end={dice.choice(ENDS)}"
        )

    def _page(self) -> Page:
        return self.person.get(self.dice.choice(self.paths))

    def _turn(self) -> str:
        return str(self._page().turns[-1]["data-turn"])

    def _press_if_there(self, button: str) -> None:
        page = self._page()
        with suppress(StopIteration):
            self.person.press(page, button)

    def _count(self, response: requests.Response, **_: Any) -> None:
        kind = "/".join(urlsplit(response.url).path.split("/")[:2])
        self.answers[f"{response.request.method} {kind} {response.status_code}"] += 1
