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
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path

import requests

from accounts import Accounts
from core.db.database import Database
from tests.support.person import HTMX_HEADERS, Person
from tests.support.processes import run_portal
from tools.chaos.report import Expectations, Report, at_least, at_most, exactly
from tools.probes import database_settings
from tools.scripted_service import make_message, run_scripted_service

SECRET_KEY = "secret of the chaos tests " * 2
PASSWORD = "correct horse battery"
GROUP = "staff"
PEOPLE = 6
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

    ended_at: float = 0.0
    stream_end_at: float = 0.0
    last_content_at: float = 0.0
    # The start times of the requests that returned content.
    content_begun_at: list[float] = field(default_factory=list)
    errors: int = 0
    is_observing: bool = True


def run(rounds: int | None = None, seed: int = 1, database_url: str = "") -> Report:
    """Sign people in and end their sign-ins, `rounds` times, by default 60."""
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(run_scripted_service())
        settings = {"WORKERS": "3", "SIGN_IN": "password", "SECRET_KEY": SECRET_KEY}
        settings |= {"TWIN_GROUPS": f"ada={GROUP}"}
        settings |= database_settings(database_url)
        portal = stack.enter_context(run_portal(data, service.url, **settings))
        database = Database(database_url or f"sqlite:///{data / 'portal.db'}", lock_timeout=10)
        stack.callback(database.close)
        accounts = Accounts(database, SECRET_KEY, idle_seconds=3_600, max_seconds=3_600)
        with ThreadPoolExecutor(PEOPLE) as pool:
            results = list(
                pool.map(
                    lambda number: _run_person(
                        accounts,
                        portal.url,
                        f"person{number}",
                        (rounds or 60) // PEOPLE,
                        seed + number,
                    ),
                    range(PEOPLE),
                )
            )
    all_rounds = [each for person_rounds, _, _ in results for each in person_rounds]
    delays = [max(each.stream_end_at - each.ended_at, 0.0) for each in all_rounds]
    late_content = sum(
        begun_at > each.ended_at for each in all_rounds for begun_at in each.content_begun_at
    )
    late_content += sum(each.last_content_at > each.ended_at + MAX_SECONDS for each in all_rounds)
    kinds = Counter(kind for _, person_kinds, _ in results for kind in person_kinds)
    return {
        "rounds": len(all_rounds),
        "kinds": dict(sorted(kinds.items())),
        "requests_with_content": sum(len(each.content_begun_at) for each in all_rounds),
        "streams_median_seconds": round(statistics.median(delays), 2),
        "streams_worst_seconds": round(max(delays), 2),
        "content_after_end": late_content,
        "others_signed_out": sum(count for _, _, count in results),
        "errors": sum(each.errors for each in all_rounds),
    }


def _run_person(
    accounts: Accounts, url: str, name: str, rounds: int, seed: int
) -> tuple[list[Round], list[str], int]:
    """Return the rounds, the key of `ENDS` for each, and how often a bystander lost access."""
    dice = random.Random(seed)  # noqa: S311
    accounts.people.add(name)
    accounts.people.add(f"{name} bystander")
    bystander = _browser_of(accounts, url, f"{name} bystander")
    results, kinds, signed_out = [], [], 0
    for _ in range(rounds):
        browser, other_browser = _browser_of(accounts, url, name), _sign_in(url, name)
        kind, end = dice.choice(list(ENDS.items()))
        result = _observe(browser, dice, lambda: end(accounts, name, browser, other_browser))  # noqa: B023
        results.append(result)
        kinds.append(kind)
        signed_out += bystander.get("/conversations").path != "/conversations"
        browser.close()
        other_browser.close()
    bystander.close()
    return results, kinds, signed_out


def _observe(browser: Person, dice: random.Random, end: Callable[[], None]) -> Round:
    """Start a reply, request its stream and several pages, and end the sign-in meanwhile."""
    result = Round()
    page = browser.start_conversation(MESSAGE)
    turn_id = str(page.turns[0]["data-turn"])
    cookies = browser.session.cookies.get_dict()
    stream_url = dice.choice((f"/turns/{turn_id}/events", f"{page.path}?follow=1"))
    paths = page.path, f"/turns/{turn_id}/text", f"{page.path}/export?format=md"
    threads = [
        threading.Thread(target=_follow, args=(browser.base_url + stream_url, cookies, result)),
        *(
            threading.Thread(target=_request, args=(browser.base_url + path, cookies, result))
            for path in paths
        ),
    ]
    for thread in threads:
        thread.start()
    time.sleep(dice.uniform(0.3, 2.5))
    end()
    result.ended_at = time.monotonic()
    threads[0].join(OBSERVED_SECONDS)
    if threads[0].is_alive():
        result.stream_end_at = time.monotonic()
    result.is_observing = False
    for thread in threads:
        thread.join(10)
    return result


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


def _sign_in(url: str, name: str) -> Person:
    browser = Person(url)
    browser.press(browser.get("/session/new"), "Sign in", name=name, password=PASSWORD)
    return browser


def _sign_out(_accounts: Accounts, _name: str, browser: Person, _other: Person) -> None:
    browser.press(browser.get("/session"), "Sign out")


def _sign_out_everywhere(_accounts: Accounts, _name: str, _browser: Person, other: Person) -> None:
    other.press(other.get("/session"), "Sign out everywhere", everywhere="1")


def _sign_out_elsewhere(accounts: Accounts, name: str, _browser: Person, other: Person) -> None:
    """End the older sign-in from the newer browser."""
    sign_ins = accounts.sign_ins.list_for_person(accounts.people.find(name).id)
    oldest = min(sign_ins, key=lambda sign_in: sign_in.created_at)
    _, fields = other.get("/session").button_action("Sign out everywhere")
    other.post(f"/session/sign-ins/{oldest.id}/deletion", {"csrf_token": fields["csrf_token"]})


def _disable(accounts: Accounts, name: str, _browser: Person, _other: Person) -> None:
    accounts.people.disable(accounts.people.find(name))


def _reset(accounts: Accounts, name: str, _browser: Person, _other: Person) -> None:
    accounts.reset(accounts.people.find(name))


def _leave_group(accounts: Accounts, name: str, _browser: Person, _other: Person) -> None:
    accounts.people.set_groups(accounts.people.find(name), [])


ENDS: dict[str, Callable[[Accounts, str, Person, Person], None]] = {
    "sign out": _sign_out,
    "sign out everywhere": _sign_out_everywhere,
    "sign out elsewhere": _sign_out_elsewhere,
    "disable": _disable,
    "reset": _reset,
    "leave group": _leave_group,
}
