"""Response times that must not reveal which ids and names exist.

Requests for ids of another person are compared with requests for missing ids, and failing sign-ins
with a known name are compared with sign-ins with an unknown name.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable
from statistics import median

from flask import Flask

import app as twindow
from tests.support.person import Person
from tests.support.portals import close_portal, get_portal, serve
from tools.bench.table import Row, ratio
from tools.scripted_service import make_message, run_scripted_service

ROUNDS = 200
# Fewer rounds, because Argon2id makes a sign-in slow on purpose.
SIGN_IN_ROUNDS = 30
PASSWORD = "correct horse battery"
MISSING_ID = "Zm9yZWlnbi1yYW5kb20taWQ"


def measure() -> list[Row]:
    """Request foreign and missing ids in turn; return the medians."""
    with tempfile.TemporaryDirectory() as folder, run_scripted_service() as service:
        app = twindow.create_app(
            {"data_dir": folder, "api_url": service.url, "api_key": "any", "sign_in": "password"}
        )
        accounts = get_portal(app).accounts
        accounts.account_limit = accounts.address_limit = 1_000
        with serve(app) as url:
            anna, ben = (_sign_in(app, url, name) for name in ("Anna", "Ben"))
            page = anna.start_conversation(make_message(10, "1"))
            conversation = page.path.rpartition("/")[2]
            turn = str(page.turns[0]["data-turn"])
            rows = [
                _compare(name, ROUNDS, lambda key, path=path: ben.get(path.format(key)), foreign)
                for name, path, foreign in (
                    ("conversation", "/conversations/{}", conversation),
                    ("export", "/conversations/{}/export", conversation),
                    ("reply", "/turns/{}/text", turn),
                    ("stream", "/turns/{}/events", turn),
                )
            ]
            rows.append(_compare("sign-in", SIGN_IN_ROUNDS, _failing_sign_in(url), "Anna"))
        close_portal(app)
    return rows


def _sign_in(app: Flask, url: str, name: str) -> Person:
    accounts = get_portal(app).accounts
    person = Person(url)
    page = person.get(f"/session/links/{accounts.create_link(accounts.people.add(name))}")
    person.press(page, "Save", password=PASSWORD)
    return person


def _failing_sign_in(url: str) -> Callable[[str], object]:
    person = Person(url)
    action, fields = person.get("/session/new").button_action("Sign in")
    return lambda name: person.post(action, fields | {"name": name, "password": "wrong"})


def _compare(name: str, rounds: int, request: Callable[[str], object], existing_key: str) -> Row:
    milliseconds: dict[str, list[float]] = {existing_key: [], MISSING_ID: []}
    for _ in range(rounds):
        for key, durations in milliseconds.items():
            started_at = time.perf_counter()
            request(key)
            durations.append((time.perf_counter() - started_at) * 1e3)
    existing, missing = map(median, milliseconds.values())
    return {
        "request": name,
        "existing ms": existing,
        "missing ms": missing,
        "ratio": ratio(existing, missing),
    }
