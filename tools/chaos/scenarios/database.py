"""Faults of PostgreSQL during replies: nothing is lost or sent twice, and the portal recovers."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from itertools import cycle
from math import inf
from pathlib import Path
from typing import Any

import requests

from tests.support.person import Person
from tests.support.processes import run_portal
from tests.support.waiting import poll_until
from tools.chaos.report import Expectations, Report, at_least, at_most, only
from tools.chaos.sent_messages import (
    SentMessage,
    count_messages,
    create_people,
    distribute,
    for_each_person,
    poll_until_ended,
)
from tools.probes import APPLICATION_NAME, connect_postgresql
from tools.scripted_service import ScriptedService, make_message, run_scripted_service
from twindow.core.db.database import LOCK_TIMEOUT_SECONDS

LOCKED_ROWS = 5
KILL_INTERVAL_SECONDS = 0.5
GAP_SECONDS = 0.1
BEGIN_SECONDS = 20
VISIT_SECONDS = 0.5
SPARE_FORMS = 5
RECOVERY_TIMEOUT_SECONDS = 20
# The lock timeout of the database plus a second for the response.
MAX_RESPONSE_SECONDS = LOCK_TIMEOUT_SECONDS + 1

EXPECTATIONS: Expectations = {
    "acknowledged_share": at_least(1.0),
    "lost": at_most(0),
    "doubled": at_most(0),
    "not_sent_once": at_most(0),
    "running_states": only("complete"),
    # A message that is accepted just before the fault may fail without being sent (F77).
    "new_states": only("complete", "failed"),
    "wrong_texts": at_most(0),
    "statuses": only("200", "303", "503"),
    "no_response": at_most(0),
    "slowest_seconds": at_most(MAX_RESPONSE_SECONDS),
    "recovery_seconds": at_most(5),
    "tracebacks": at_most(0),
}


def locked_rows(database_url: str, seconds: float) -> None:
    """Lock the rows of some turns whose replies are running."""
    with connect_postgresql(database_url) as connection, connection.transaction():
        query = "SELECT id FROM turns WHERE worker <> '' ORDER BY id LIMIT %s FOR UPDATE"
        connection.execute(query, [LOCKED_ROWS])
        time.sleep(seconds)


def read_only(database_url: str, seconds: float) -> None:
    """Simulate a switch to a read-only server and back.

    Connections from before the first switch are lost. Connections to the read-only server stay open
    after the switch back, as they do when a host name is pointed at another server.
    """
    with connect_postgresql(database_url) as connection:
        database = connection.info.dbname
        setting = f"ALTER DATABASE {database} SET default_transaction_read_only"
        connection.execute(f"{setting} = on".encode())
        _terminate_connections(database_url)
        time.sleep(seconds)
        connection.execute(f"{setting} = off".encode())


def killed_connections(database_url: str, seconds: float) -> None:
    """Terminate all connections, again and again."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        _terminate_connections(database_url)
        time.sleep(KILL_INTERVAL_SECONDS)


FAULTS: dict[str, Callable[[str, float], None]] = {
    fault.__name__: fault for fault in (locked_rows, read_only, killed_connections)
}


def _terminate_connections(database_url: str) -> None:
    """Terminate all connections of the portal."""
    query = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
        " WHERE datname = current_database() AND application_name <> %s"
    )
    with connect_postgresql(database_url) as connection:
        connection.execute(query, [APPLICATION_NAME])


@dataclass
class DatabaseTest:
    """A portal with running replies, a fault of its database, and what people see of it.

    `running` are the messages sent before the fault, and `new` are the messages sent during it.
    """

    fault: str
    database_url: str
    service: ScriptedService
    people: Sequence[Person]
    seconds: float
    running: list[SentMessage] = field(default_factory=list)
    new: list[SentMessage] = field(default_factory=list)
    statuses: list[str] = field(default_factory=list)
    response_seconds: list[float] = field(default_factory=list)
    fault_ended_at: float = inf

    def run(self, replies: int) -> Report:
        """Apply the fault while this many replies are running."""
        # Load forms now, because pages may fail during the fault.
        form_count = len(self.people) * (SPARE_FORMS + round(self.seconds / VISIT_SECONDS))
        forms = self._make_messages("f", [5] * form_count)
        for_each_person(forms, lambda messages: list(map(SentMessage.open_form, messages)))
        # The replies end during the fault or after it.
        seconds = [self.seconds * (0.3 + 1.2 * number / replies) for number in range(replies)]
        self.running = self._make_messages("r", [round(each / GAP_SECONDS) for each in seconds])
        for_each_person(self.running, lambda messages: list(map(SentMessage.submit, messages)))
        contents = {message.content for message in self.running}
        assert poll_until(
            lambda: contents <= self.service.received_messages().keys(), BEGIN_SECONDS
        ), "Not all replies begin."
        for person in self.people:
            person.session.hooks["response"] = [self._record_status]
        with ThreadPoolExecutor(1) as pool:
            visits = pool.submit(for_each_person, forms, self._visit)
            FAULTS[self.fault](self.database_url, self.seconds)
            self.fault_ended_at = time.monotonic()
            recovered_at = max(visits.result())
        for person in self.people:
            person.session.hooks["response"] = []
        poll_until_ended(self.running + self.new)
        return self._report(recovered_at - self.fault_ended_at)

    def _make_messages(self, tag: str, word_counts: Sequence[int]) -> list[SentMessage]:
        contents = [
            make_message(count, f"{self.fault[0]}{tag}{number}.", gap=GAP_SECONDS)
            for number, count in enumerate(word_counts)
        ]
        return distribute(self.people, contents)

    def _visit(self, forms: list[SentMessage]) -> float:
        """Return the time at which a message is first accepted after the fault.

        Meanwhile, open pages as well, and repeat messages that are not accepted.
        """
        person = forms[0].person
        running = cycle([message for message in self.running if message.person is person])
        for message in forms:
            self.new.append(message)
            while not message.is_acknowledged:
                if time.monotonic() > self.fault_ended_at + RECOVERY_TIMEOUT_SECONDS:
                    return inf
                self._measure(message.submit)
                if message.is_acknowledged and time.monotonic() > self.fault_ended_at:
                    return time.monotonic()
                self._measure(next(running).refresh)
                self._measure(lambda: person.get("/conversations"))
                time.sleep(VISIT_SECONDS)
        return inf

    def _measure(self, action: Callable[[], object]) -> None:
        """Measure an action that sends one request."""
        started_at = time.monotonic()
        # A request without a response adds nothing to `statuses`.
        with suppress(requests.RequestException):
            action()
        self.response_seconds.append(time.monotonic() - started_at)

    def _record_status(self, response: requests.Response, **_: Any) -> None:
        self.statuses.append(str(response.status_code))

    def _report(self, recovery_seconds: float) -> Report:
        records = self.service.received_messages()
        call_counts = Counter({content: record.count for content, record in records.items()})
        messages = self.running + self.new
        acknowledged = [message for message in messages if message.is_acknowledged]
        return {
            **count_messages(messages, Path(), self.database_url),
            "not_sent_once": sum(
                call_counts[message.content] != (0 if message.state == "failed" else 1)
                for message in acknowledged
            ),
            "running_states": dict(Counter(message.state for message in self.running)),
            "new_states": dict(Counter(message.state for message in self.new)),
            "wrong_texts": sum(
                message.text != message.expected_text()
                for message in acknowledged
                if message.state == "complete"
            ),
            "statuses": dict(Counter(self.statuses)),
            "no_response": len(self.response_seconds) - len(self.statuses),
            "slowest_seconds": round(max(self.response_seconds), 2),
            "recovery_seconds": round(recovery_seconds, 2),
        }


def run(
    database_url: str,
    replies: int = 30,
    *,
    seconds: float | None = None,
    faults: Sequence[str] = tuple(FAULTS),
) -> dict[str, Report]:
    """Apply each fault, for six seconds by default, to the database of a portal with two workers.

    A portal that does not recover from a fault is not tried with others.
    """
    with ExitStack() as stack:
        data = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        service = stack.enter_context(run_scripted_service())
        settings = {"WORKERS": "2", "DATABASE_URL": database_url}
        portal = stack.enter_context(run_portal(data, service.url, **settings))
        people = stack.enter_context(create_people(portal.port))
        reports: dict[str, Report] = {}
        for fault in faults:
            portal.output.clear()
            report = DatabaseTest(fault, database_url, service, people, seconds or 6).run(replies)
            output = "".join(portal.output)
            reports[fault] = report | {
                "tracebacks": output.count("Traceback"),
                "output": output[output.find("Traceback") :][:5000]
                if "Traceback" in output
                else "",
            }
            if report["recovery_seconds"] == inf:
                break
        return reports
