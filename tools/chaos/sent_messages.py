"""Sent messages, and what their pages show after a fault."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import cycle
from math import ceil
from os.path import commonprefix
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit

import requests
from bs4 import Tag

from tests.support.person import WAIT_SECONDS, Person
from tools.probes import select_rows
from tools.scripted_service import Record, parse_instructions
from twindow.chat.limits import MAX_RUNNING_REPLIES

T = TypeVar("T")

PERSON_COUNT = 5
POLL_SECONDS = 0.5
END_TIMEOUT_SECONDS = 20.0


@dataclass
class SentMessage:
    """A message with which a person starts a conversation, or a version of an earlier one.

    `path` is the path of the conversation, or "" before the portal has accepted the message.
    """

    person: Person
    content: str
    edited: SentMessage | None = None
    action: str = ""
    fields: dict[str, str] = field(default_factory=dict)
    path: str = ""
    turn_id: str = ""
    state: str = ""
    text: str = ""
    sentence: str = ""
    has_retry: bool = False
    ended_at: float | None = None

    @property
    def is_acknowledged(self) -> bool:
        """Return whether the portal has acknowledged the message."""
        return bool(self.path)

    def open_form(self) -> None:
        """Load the form if it is not loaded yet."""
        if self.action:
            return
        if self.edited:
            page = self.person.get(self.edited.path)
            self.action, fields = page.button_action("Send")
            self.fields = fields | {"replaces": self.edited.turn_id}
        else:
            self.action, self.fields = self.person.get("/twins/ada").button_action("Send")

    def submit(self) -> None:
        """Submit the form. Further calls submit the same form, with the same idempotency key."""
        with suppress(requests.RequestException, StopIteration):
            self.open_form()
            response = self.person.session.post(
                self.person.base_url + self.action,
                data=self.fields | {"content": self.content},
                allow_redirects=False,
                timeout=WAIT_SECONDS,
            )
            if response.status_code < 400:
                self.path = urlsplit(response.headers["Location"]).path

    def refresh(self) -> None:
        """Read the state of the reply from its page."""
        for article in self.person.get(self.path).turns:
            self.turn_id, self.state = str(article["data-turn"]), str(article["data-state"])
            self.text = _text_of(article, ".turn__reply")
            self.sentence = _text_of(article, ".note span")
            self.has_retry = any(b.get_text() == "Try again" for b in article.select("button"))
            if self.state not in ("waiting", "streaming"):
                self.ended_at = time.monotonic()

    def expected_text(self, count: int | None = None) -> str:
        """Return the text of the first `count` deltas of the reply, or of all."""
        instructions = parse_instructions(self.content)
        numbers = range(int(instructions["n"]) if count is None else count)
        return " ".join(f"{instructions['tag']}:{number}" for number in numbers)


async def open_stream(
    message: SentMessage, *headers: str
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """Request the stream of a reply; many streams in one thread cost little."""
    address = urlsplit(message.person.base_url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port, limit=2**20)
    cookies = "; ".join(
        f"{cookie.name}={cookie.value}" for cookie in message.person.session.cookies
    )
    path = f"/turns/{message.turn_id}/events?after=0"
    head = (f"GET {path} HTTP/1.0", f"Host: {address.netloc}", f"Cookie: {cookies}", *headers)
    writer.write("\r\n".join((*head, "", "")).encode())
    return reader, writer


def _text_of(article: Tag, selector: str) -> str:
    return " ".join(" ".join(found.get_text() for found in article.select(selector)).split())


@contextmanager
def create_people(port: int, replies: int = 0) -> Iterator[list[Person]]:
    """Create people with a browser session each, as many as may have these replies at once."""
    count = max(PERSON_COUNT, ceil(replies / MAX_RUNNING_REPLIES))
    people = [Person(f"http://127.0.0.1:{port}") for _ in range(count)]
    try:
        yield people
    finally:
        for person in people:
            person.close()


def distribute(people: Sequence[Person], contents: Iterable[str]) -> list[SentMessage]:
    """Return messages with these contents, each of the next person in turn."""
    return [SentMessage(*pair) for pair in zip(cycle(people), contents, strict=False)]


def for_each_person(
    messages: Sequence[SentMessage], action: Callable[[list[SentMessage]], T]
) -> list[T]:
    """Run an action with the messages of each person, all people at once, each in a thread."""
    messages_by_person: dict[Person, list[SentMessage]] = {}
    for message in messages:
        messages_by_person.setdefault(message.person, []).append(message)
    with ThreadPoolExecutor(len(messages_by_person) or 1) as pool:
        return list(pool.map(action, messages_by_person.values()))


def begin_replies(messages: Sequence[SentMessage]) -> None:
    """Send the messages of all people at once, and read the ids of their turns."""

    def begin(own_messages: list[SentMessage]) -> None:
        for message in own_messages:
            message.submit()
            if message.is_acknowledged:
                message.refresh()

    for_each_person(messages, begin)


def poll_until_ended(messages: Sequence[SentMessage]) -> None:
    """Reload the pages of accepted messages until every reply has ended, or for 20 seconds."""
    deadline = time.monotonic() + END_TIMEOUT_SECONDS

    def poll(own_messages: list[SentMessage]) -> None:
        while time.monotonic() < deadline:
            pending = [message for message in own_messages if message.ended_at is None]
            if not pending:
                return
            for message in pending:
                with suppress(requests.RequestException):
                    message.refresh()
            time.sleep(POLL_SECONDS)

    for_each_person([message for message in messages if message.is_acknowledged], poll)


def count_messages(
    messages: Sequence[SentMessage], data: Path, database_url: str = ""
) -> dict[str, float]:
    """Count the messages that the portal has acknowledged, lost, and stored twice."""
    query = "SELECT content, count(*) FROM turns GROUP BY content"
    turn_counts = dict(select_rows(data, query, database_url))
    acknowledged = [message.content for message in messages if message.is_acknowledged]
    return {
        "messages": len(messages),
        "acknowledged": len(acknowledged),
        "acknowledged_share": round(len(acknowledged) / max(1, len(messages)), 3),
        "lost": sum(content not in turn_counts for content in acknowledged),
        "doubled": sum(count > 1 for count in turn_counts.values()),
    }


def shares(
    messages: Sequence[SentMessage], records: dict[str, Record], before: float
) -> list[tuple[int, int]]:
    """Return how many characters of each interrupted reply are expected and how many are stored.

    Only deltas that the service sent before the Unix time `before` are expected.
    """
    counts = []
    for message in messages:
        if message.state == "interrupted" and message.content in records:
            sent_times = records[message.content].sent_times
            expected = message.expected_text(sum(at < before for at in sent_times))
            stored = commonprefix((expected, message.text))  # noqa: RUF071
            counts += [(len(expected), len(stored))] if expected else []
    return counts


def summarize_stored(counts: Sequence[tuple[int, int]]) -> dict[str, float]:
    """Return the stored share of the expected text: of the worst reply, and of all replies."""
    expected, stored = sum(expected for expected, _ in counts), sum(stored for _, stored in counts)
    return {
        "kept_min": round(min((k / d for d, k in counts), default=1.0), 4),
        "kept_overall": round(stored / expected, 4) if expected else 1.0,
    }
