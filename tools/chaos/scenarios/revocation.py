"""Loss of access at random times, during streams and requests.

People are signed out, disabled or removed from their group, or their password is reset, while three
workers send them streams, pages and fragments. A request that begins after the loss of access must
get no content, and a stream must end within five seconds of the loss.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import requests

from tests.support.person import HTMX_HEADERS, Person
from tests.support.processes import run_portal
from tools.chaos.report import Expectations, Report, at_least, at_most, exactly
from tools.scripted_service import make_message, run_scripted_service
from twindow.accounts import Accounts
from twindow.chat.schema import counters
from twindow.core.db.counters import Counters
from twindow.core.db.database import Database

SECRET_KEY = "secret of the chaos tests " * 2
PASSWORD = "correct horse battery"
GROUP = "staff"
PEOPLE = 6
KINDS = (
    "sign out",
    "sign out everywhere",
    "sign out elsewhere",
    "disable",
    "reset",
    "leave group",
)
MESSAGE = make_message(2_000, "answer", gap=0.02)
# Text that each reply contains, and that occurs nowhere else on the pages.
CONTENT = "answer:"
MAX_SECONDS = 5.0
OBSERVED_SECONDS = 7.0

EXPECTATIONS: Expectations = {
    "requests_with_content": at_least(1),
    "streams_worst_seconds": at_most(MAX_SECONDS),
    "content_after_end": exactly(0),
    "others_signed_out": exactly(0),
    "errors": exactly(0),
}


@dataclass
class Round:
    """What happened in one round. Times are by the monotonic clock."""

    kind: str
    ended_at: float = 0.0
    stream_end_at: float = 0.0
    last_content_at: float = 0.0
    # The start times of the requests that returned content.
    content_begun_at: list[float] = field(default_factory=list)
    errors: int = 0
    others_signed_out: int = 0
    is_observing: bool = True

    @property
    def content_after_end(self) -> int:
        """Return how often content was sent too late."""
        late_count = sum(begun_at > self.ended_at for begun_at in self.content_begun_at)
        return late_count + (self.last_content_at > self.ended_at + MAX_SECONDS)


def run(rounds: int | None = None, seed: int = 1, database_url: str = "") -> Report:
    """Sign people in and end their sign-ins, `rounds` times, by default 60."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(run_scripted_service())
        settings = {"WORKERS": "3", "SIGN_IN": "password", "SECRET_KEY": SECRET_KEY}
        settings |= {"TWIN_GROUPS": f"ada={GROUP}", "DATABASE_URL": database_url}
        portal = stack.enter_context(run_portal(data, service.url, **settings))
        database = Database(database_url or f"sqlite:///{data / 'portal.db'}", lock_timeout=10)
        stack.callback(database.close)
        accounts = Accounts(
            database, Counters(counters), SECRET_KEY, idle_seconds=3_600, max_seconds=3_600
        )

        def run_person(number: int) -> list[Round]:
            dice = random.Random(seed + number)  # noqa: S311
            return _run_person(
                accounts, portal.url, f"person{number}", dice, (rounds or 60) // PEOPLE
            )

        with ThreadPoolExecutor(PEOPLE) as pool:
            results = [each for person in pool.map(run_person, range(PEOPLE)) for each in person]
    delays = [max(each.stream_end_at - each.ended_at, 0.0) for each in results]
    return {
        "rounds": len(results),
        "kinds": dict(sorted(Counter(each.kind for each in results).items())),
        "requests_with_content": sum(len(each.content_begun_at) for each in results),
        "streams_median_seconds": round(statistics.median(delays), 2),
        "streams_worst_seconds": round(max(delays), 2),
        "content_after_end": sum(each.content_after_end for each in results),
        "others_signed_out": sum(each.others_signed_out for each in results),
        "errors": sum(each.errors for each in results),
    }


def _run_person(
    accounts: Accounts, url: str, name: str, dice: random.Random, rounds: int
) -> list[Round]:
    accounts.people.add(name)
    accounts.people.add(f"{name} bystander")
    bystander = _browser_of(accounts, url, f"{name} bystander")
    results = []
    for _ in range(rounds):
        browser, other = _browser_of(accounts, url, name), Person(url)
        other.press(other.get("/session/new"), "Sign in", name=name, password=PASSWORD)
        result = Round(dice.choice(KINDS))
        results.append(result)
        with _observe(browser, dice, result):
            _end_access(result.kind, accounts, name, browser, other)
        bystander.session.close()  # the server is just about to close the idle connection
        result.others_signed_out += bystander.get("/conversations").path != "/conversations"
        browser.close()
        other.close()
    bystander.close()
    return results


def _end_access(
    kind: str, accounts: Accounts, name: str, browser: Person, other_browser: Person
) -> None:
    """End the access of a browser; some kinds use another browser of the same person."""
    person = accounts.people.find(name)
    session_page = other_browser.get("/session")
    match kind:
        case "sign out":
            browser.press(browser.get("/session"), "Sign out")
        case "sign out everywhere":
            other_browser.press(session_page, "Sign out everywhere", everywhere="1")
        case "sign out elsewhere":
            sign_ins = accounts.sign_ins.list_for_person(person.id)
            oldest = min(sign_ins, key=lambda sign_in: sign_in.created_at)
            other_browser.post(f"/session/sign-ins/{oldest.id}/deletion", {})
        case "disable":
            accounts.people.disable(person)
        case "reset":
            accounts.reset(person)
        case "leave group":
            accounts.people.set_groups(person, [])


@contextmanager
def _observe(browser: Person, dice: random.Random, result: Round) -> Iterator[None]:
    """Start a reply; request its stream and several pages before, during and after the block."""
    page = browser.start_conversation(MESSAGE)
    turn_id = str(page.turns[0]["data-turn"])
    cookies = browser.session.cookies.get_dict()
    stream_path = dice.choice((f"/turns/{turn_id}/events", f"{page.path}?follow=1"))
    requested = [
        (_follow, stream_path),
        (_request, page.path),
        (_request, f"/turns/{turn_id}/text"),
        (_request, f"{page.path}/export?format=md"),
    ]
    threads = [
        threading.Thread(target=target, args=(browser.base_url + path, cookies, result))
        for target, path in requested
    ]
    for thread in threads:
        thread.start()
    time.sleep(dice.uniform(0.3, 2.5))
    yield
    result.ended_at = time.monotonic()
    threads[0].join(OBSERVED_SECONDS)
    if threads[0].is_alive():
        result.stream_end_at = time.monotonic()
    result.is_observing = False
    for thread in threads:
        thread.join(10)


def _follow(url: str, cookies: dict[str, str], result: Round) -> None:
    with (
        suppress(requests.RequestException),
        requests.get(url, cookies=cookies, stream=True, timeout=20) as response,
    ):
        while result.is_observing and (chunk := response.raw.read1(65536, decode_content=True)):
            if CONTENT.encode() in chunk:
                result.last_content_at = time.monotonic()
    result.stream_end_at = result.stream_end_at or time.monotonic()


def _request(url: str, cookies: dict[str, str], result: Round) -> None:
    """Request a page again and again, as page and as fragment."""
    headers = {}
    while result.is_observing:
        begun_at = time.monotonic()
        try:
            response = requests.get(
                url, cookies=cookies, headers=headers, allow_redirects=False, timeout=20
            )
        except requests.RequestException:
            result.errors += 1
            continue
        if CONTENT in response.text:
            result.content_begun_at.append(begun_at)
        result.errors += response.status_code >= 500
        headers = {} if headers else HTMX_HEADERS
        time.sleep(0.02)


def _browser_of(accounts: Accounts, url: str, name: str) -> Person:
    """Give the person a password with a one-time link, and sign them in."""
    person = accounts.people.find(name)
    accounts.people.enable(person)
    accounts.people.set_groups(person, [GROUP])
    browser = Person(url)
    page = browser.get(f"/session/links/{accounts.create_link(person)}")
    browser.press(page, "Save", password=PASSWORD)
    return browser
