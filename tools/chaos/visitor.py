"""A visitor who chats, browses, disconnects and sends invalid requests, at random."""

from __future__ import annotations

import itertools
import random
import threading
from collections import Counter
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any
from urllib.parse import urlsplit

import requests

from tests.support.person import Page, Person
from tools.scripted_service import make_message

PAUSE_SECONDS = (0.5, 2.5)
REPLY_ENDS = ["complete"] * 10 + ["cut", "error", "reset", "429", "500"]
MAX_PATHS = 20

_tag_numbers = itertools.count()


class Visitor:
    """A person with random behaviour, and a count of the responses."""

    def __init__(self, url: str, rng: random.Random, status_counts: Counter[str]) -> None:
        self.person = Person(url)
        self.person.session.hooks["response"].append(self._count_response)
        self.rng = rng
        self.status_counts = status_counts
        self.errors: list[str] = []
        self.paths: list[str] = []

    def run(self, stop_event: threading.Event) -> None:
        """Perform random actions with pauses until the event is set."""
        weights = {
            self.begin_conversation: 1,
            self.browse: 2,
            self.send_message: 3,
            self.follow_reply: 2,
            self.disconnect: 2,
            self.reload: 2,
            partial(self._press_if_present, "Stop"): 1,
            partial(self._press_if_present, "Try again"): 1,
            self.send_invalid_requests: 1,
        }
        while not stop_event.wait(self.rng.uniform(*PAUSE_SECONDS)):
            # The other actions need a conversation.
            actions = list(weights) if self.paths else [self.begin_conversation, self.browse]
            counts = [weights[action] for action in actions]
            try:
                self.rng.choices(actions, counts)[0]()
            except Exception as error:  # noqa: BLE001
                self.errors.append(repr(error)[:300])

    def begin_conversation(self) -> None:
        """Start a conversation."""
        page = self.person.start_conversation(self._random_message())
        if page.status == 200:
            self.paths = [*self.paths, page.path][-MAX_PATHS:]

    def send_message(self) -> None:
        """Send another message; the portal rejects it while the twin is replying."""
        self.person.press(self._open_random_page(), "Send", content=self._random_message())

    def follow_reply(self) -> None:
        """Follow a reply to its end."""
        with self.person.follow(
            self._last_turn_id(), after=self.rng.choice((0, 0, 3, 10**6))
        ) as stream:
            stream.remaining_events()

    def disconnect(self) -> None:
        """Disconnect in the middle of a reply."""
        with self.person.follow(self._last_turn_id()) as stream:
            list(islice(stream, self.rng.randrange(5)))

    def reload(self) -> None:
        """Load the same page a few times."""
        path = self.rng.choice(self.paths)
        for _ in range(self.rng.randint(1, 3)):
            self.person.get(path)

    def browse(self) -> None:
        """Open and search the lists of twins and conversations; open a twin."""
        for path in ("/", "/?q=ad", "/conversations", "/conversations?q=n%3D1", "/twins/ada"):
            self.person.get(path)

    def send_invalid_requests(self) -> None:
        """Request pages that do not exist, and send invalid data."""
        person, url = self.person, self.person.base_url
        path = self.rng.choice(self.paths)
        person.get("/conversations/nobody-knows")
        person.get("/conversations?page=0&twin=%00")
        person.get(f"{path}?before=-1")
        person.post(f"{path}/turns", {"content": "no token"})
        fields = person.get(path).hidden_fields("/turns")
        person.post(f"{path}/turns", fields | {"content": "x" * 40_000})
        person.post(f"{path}/turns", fields | {"content": " "})
        person.session.put(url + path, data=b"\xff" * 100, timeout=10)

    def _random_message(self) -> str:
        rng = self.rng
        tag, end = f"v{next(_tag_numbers)}.", rng.choice(REPLY_ENDS)
        return make_message(rng.randint(1, 60), tag, gap=rng.uniform(0, 0.15), end=end)

    def _open_random_page(self) -> Page:
        return self.person.get(self.rng.choice(self.paths))

    def _last_turn_id(self) -> str:
        return str(self._open_random_page().turns[-1]["data-turn"])

    def _press_if_present(self, button: str) -> None:
        page = self._open_random_page()
        with suppress(StopIteration):
            self.person.press(page, button)

    def _count_response(self, response: requests.Response, **_: Any) -> None:
        kind = "/".join(urlsplit(response.url).path.split("/")[:2])
        self.status_counts[f"{response.request.method} {kind} {response.status_code}"] += 1
