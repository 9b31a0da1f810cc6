"""Two portals beside one service with two workers: kill -9 of a portal and of service workers."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path

from tests.support.processes import ServerProcess, create_api_key, free_port, run_portal, run_server
from tests.support.upstream import CHAT_COMPLETIONS_PATH, Call
from tests.support.upstream_server import run_upstream
from tests.support.waiting import poll_until
from tools.chaos.report import Expectations, Report, at_least, at_most, exactly
from tools.chaos.sent_messages import (
    PERSON_COUNT,
    SentMessage,
    create_people,
    distribute,
    for_each_person,
)

WORDS, GAP_SECONDS = 40, 0.1
MAX_TRIES = 5
# The lease of a dead worker expires within six seconds.
REPLY_SECONDS = 30.0
TWIN = "---\nname: Ada\n---\nYou are Ada.\n"

EXPECTATIONS: Expectations = {
    "acknowledged_share": at_least(1.0),
    "tried_again": at_least(1),
    "states": exactly({"complete"}),
    "answered_twice": at_most(0),
    "running_at_end": at_most(0),
}


def run(rounds: int = 4, seed: int = 1) -> Report:
    """Kill a portal in the middle of its replies in each round, then a worker of the service.

    People press *Try again* until each reply is complete. A reply that another worker of the
    service still writes must not fail, and no message may get a second complete reply.
    """
    chance = random.Random(seed)  # noqa: S311
    messages: list[SentMessage] = []
    try_count = 0
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        model = stack.enter_context(run_upstream())
        model.answers[CHAT_COMPLETIONS_PATH] = _write_slowly
        service = stack.enter_context(_run_service(folder / "service", model.url))
        key = create_api_key(folder / "service", "portal")
        ports = [free_port(), free_port()]
        people = [stack.enter_context(create_people(port)) for port in ports]

        def start_portal(number: int) -> ServerProcess:
            settings = {"API_KEY": key, "PORT": str(ports[number])}
            data = folder / f"portal{number}"
            return stack.enter_context(run_portal(data, service.url, **settings))

        portals = [start_portal(0), start_portal(1)]
        for round_number in range(rounds):
            sent = [
                message
                for portal_people in people
                for message in distribute(portal_people, _contents(round_number, len(messages)))
            ]
            for_each_person(sent, lambda own: [message.submit() for message in own])
            time.sleep(chance.uniform(0.5, WORDS * GAP_SECONDS))
            killed = round_number % 2
            portals[killed].kill()
            portals[killed] = start_portal(killed)
            if round_number >= rounds // 2:
                os.kill(chance.choice(service.worker_pids), signal.SIGKILL)
            try_count += sum(for_each_person(sent, _try_until_complete))
            messages += sent
        query = "SELECT reply_to FROM service_messages WHERE role = 'assistant' AND complete"
        with closing(sqlite3.connect(folder / "service/service.db")) as database:
            answered = Counter(database.execute(query).fetchall())
            [[running]] = database.execute(
                "SELECT count(*) FROM service_conversations WHERE lease_id IS NOT NULL"
            )
    acknowledged = sum(message.is_acknowledged for message in messages)
    return {
        "messages": len(messages),
        "acknowledged_share": round(acknowledged / len(messages), 3),
        "tried_again": try_count,
        "states": {message.state for message in messages},
        "replies": len(answered),
        "answered_twice": sum(count > 1 for count in answered.values()),
        "running_at_end": running,
    }


def _contents(round_number: int, offset: int) -> list[str]:
    return [f"Message {offset + number} of round {round_number}" for number in range(PERSON_COUNT)]


def _try_until_complete(messages: list[SentMessage]) -> int:
    """Press *Try again* until the replies of a person are complete; return how often."""
    count = 0
    for message in messages:
        for _ in range(MAX_TRIES):
            poll_until(lambda: _has_ended(message), REPLY_SECONDS, 0.5)  # noqa: B023
            if message.state == "complete":
                break
            count += 1
            message.person.press(message.person.get(message.path), "Try again")
    return count


def _has_ended(message: SentMessage) -> bool:
    message.refresh()
    return message.state not in ("waiting", "streaming")


def _write_slowly(call: Call) -> None:
    call.start_stream()
    with suppress(OSError):
        for number in range(WORDS):
            call.delta(f"{number} ")
            time.sleep(GAP_SECONDS)
        call.complete()


@contextmanager
def _run_service(data: Path, model_url: str) -> Iterator[ServerProcess]:
    twins = data.with_name("twins")
    twins.mkdir()
    (twins / "ada.md").write_text(TWIN)
    data.mkdir()
    settings = {"TWINS_DIR": str(twins), "MODEL_URL": model_url, "MODEL": "m", "WORKERS": "2"}
    with run_server(data, "-m", "twindow.service", **settings) as server:
        server.wait_until_ready()
        yield server
