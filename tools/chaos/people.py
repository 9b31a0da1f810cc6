"""What people said, and what their pages show of it after whatever has happened."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Any, TypeVar
from urllib.parse import urlsplit

import requests
from bs4 import Tag

from tests.support.person import WAIT_SECONDS, Person
from tools.chaos.service import order

T = TypeVar("T")

PEOPLE = 5
LOOK_SECONDS = 0.5
GIVE_UP_SECONDS = 20.0


@dataclass
class Said:
    """One press of the button that begins a conversation. `path` is set by the portal's answer."""

    person: Person
    content: str
    action: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    path: str = ""
    turn: str = ""
    state: str = ""
    text: str = ""
    sentence: str = ""
    retry: bool = False
    ended_at: float | None = None

    @property
    def acknowledged(self) -> bool:
        """Tell whether the portal has said that it has the message."""
        return bool(self.path)

    def open(self) -> None:
        """Go to the button, once."""
        if not self.action:
            self.action, self.fields = self.person.get("/twins/ada").action("Send")

    def press(self) -> None:
        """Press the button, once more where nothing came back: it is the same press."""
        with suppress(requests.RequestException, StopIteration):
            self.open()
            answer = self.person.session.post(
                self.person.base_url + self.action,
                data=self.fields | {"content": self.content},
                allow_redirects=False,
                timeout=WAIT_SECONDS,
            )
            if answer.status_code < 400:
                self.path = urlsplit(answer.headers["Location"]).path

    def look(self) -> None:
        """See on the page how the reply stands."""
        for article in self.person.get(self.path).turns:
            self.turn, self.state = str(article["data-turn"]), str(article["data-state"])
            self.text = _words(article, ".turn__reply")
            self.sentence = _words(article, ".note span")
            self.retry = any(b.get_text() == "Retry" for b in article.select("button"))
            if self.state not in ("waiting", "streaming"):
                self.ended_at = time.monotonic()

    def kept(self, seen: dict[str, Any], until: float) -> tuple[int, int]:
        """Return how many characters the page should have, sent before then, and how many it has.

        `seen` is what the service remembers of the message.
        """
        tag = order(self.content)["tag"]
        due = " ".join(f"{tag}:{n}" for n, at in enumerate(seen["sent"]) if at < until)
        same = takewhile(lambda pair: pair[0] == pair[1], zip(due, self.text, strict=False))
        return len(due), sum(1 for _ in same)


def _words(article: Tag, selector: str) -> str:
    return " ".join(" ".join(found.get_text() for found in article.select(selector)).split())


@contextmanager
def somebodies(port: int, count: int = PEOPLE) -> Iterator[list[Person]]:
    """Give so many people with browsers."""
    people = [Person(f"http://127.0.0.1:{port}") for _ in range(count)]
    try:
        yield people
    finally:
        for person in people:
            person.close()


def each(people: Sequence[Person], do: Callable[[Person], T]) -> list[T]:
    """Let all do something at once, each in a thread."""
    with ThreadPoolExecutor(len(people)) as pool:
        return list(pool.map(do, people))


def look_until_ended(said: Sequence[Said]) -> None:
    """Look at the pages until every reply has ended, or for twenty seconds."""
    give_up = time.monotonic() + GIVE_UP_SECONDS

    def look(person: Person) -> None:
        while time.monotonic() < give_up:
            own = [one for one in said if one.person is person and one.ended_at is None]
            if not own:
                return
            for one in own:
                with suppress(requests.RequestException):
                    one.look()
            time.sleep(LOOK_SECONDS)

    if said:
        each(list({id(one.person): one.person for one in said}.values()), look)


def shares(said: Sequence[Said], seen: dict[str, Any], until: float) -> list[tuple[int, int]]:
    """Return what was due and what was kept of every interrupted reply that had begun."""
    counted = [
        one.kept(seen[one.content], until)
        for one in said
        if one.state == "interrupted" and one.content in seen
    ]
    return [(due, kept) for due, kept in counted if due]


def kept_share(counted: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Sum up what was kept."""
    due, kept = sum(due for due, _ in counted), sum(kept for _, kept in counted)
    return {
        "kept_min": round(min((k / d for d, k in counted), default=1.0), 4),
        "kept_overall": round(kept / due, 4) if due else 1.0,
    }
