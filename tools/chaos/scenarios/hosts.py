"""Two portals behind nginx, as on two machines: restarts of each portal and of the database."""

from __future__ import annotations

import asyncio
import re
import signal
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path

from tests.support.nginx import run_nginx
from tests.support.person import Person
from tests.support.postgres import Postgres, run_postgres
from tests.support.processes import free_port, run_portal
from tests.support.waiting import poll_until
from tools.chaos.report import Expectations, Report, at_least, at_most, exactly, only
from tools.chaos.sent_messages import (
    PERSON_COUNT,
    SentMessage,
    begin_replies,
    count_messages,
    create_people,
    distribute,
    open_stream,
    poll_until_ended,
)
from tools.probes import select_rows
from tools.scripted_service import make_message, run_scripted_service

SECRET_KEY = "s" * 32
GAP_SECONDS = 0.25
BEGIN_SECONDS = 30
# The database does not respond for this long.
OUTAGE_SECONDS = 2
RETRY_SECONDS = 0.5
READ_TIMEOUT_SECONDS = 90

EXPECTATIONS: Expectations = {
    "acknowledged_share": at_least(1.0),
    "lost": at_most(0),
    "doubled": at_most(0),
    "sent_twice": at_most(0),
    "without_end": at_most(0),
    "running_states": only("complete", "interrupted"),
    # A message that is accepted just before a restart may end without being sent.
    "new_states": only("complete", "interrupted", "failed"),
    "readers_at_end": at_least(1.0),
    "tracebacks": at_most(0),
    "writing_hosts": exactly(2),
}


class Host:
    """A portal with a data folder of its own, which can be restarted."""

    def __init__(self, service_url: str, database_url: str) -> None:
        self.port = free_port()
        self.stack = ExitStack()
        data = Path(self.stack.enter_context(tempfile.TemporaryDirectory()))
        settings = {"DATABASE_URL": database_url, "SECRET_KEY": SECRET_KEY}
        self._run = partial(run_portal, data, service_url, PORT=str(self.port), **settings)
        self.output = ""
        self._portal = self.stack.enter_context(self._run())

    def restart(self) -> None:
        """Stop the portal as systemd does, and start it again."""
        self._portal.stop(signal.SIGTERM)
        self.output += self._portal.read_output()
        self._portal = self.stack.enter_context(self._run())

    def close(self) -> None:
        """Stop the portal, and delete its data."""
        self.output += "".join(self._portal.output)
        self.stack.close()


def run(streams: int = 200) -> Report:
    """Restart both portals and their database while this many replies are read."""
    with ExitStack() as stack:
        postgres = stack.enter_context(run_postgres())
        service = stack.enter_context(run_scripted_service())
        database_url = postgres.create_database()
        hosts = [Host(service.url, database_url) for _ in range(2)]
        for host in hosts:
            stack.callback(host.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        addresses = [f"127.0.0.1:{host.port}" for host in hosts]
        url = stack.enter_context(run_nginx("http://twindow", folder, balanced=addresses))
        port = int(url.rpartition(":")[2])
        people = stack.enter_context(create_people(port, streams))
        running = distribute(people, _contents("r", streams, seconds=20))
        begin_replies(running)
        contents = {message.content for message in running}
        assert poll_until(lambda: contents <= service.received_messages().keys(), BEGIN_SECONDS), (
            "Not all replies begin."
        )
        query = "SELECT count(DISTINCT worker) FROM turns WHERE worker <> ''"
        [[writing_hosts]] = select_rows(Path(), query, database_url)
        is_over = threading.Event()
        with ThreadPoolExecutor() as pool:
            readers = pool.submit(asyncio.run, _read_all(running))
            visits = [pool.submit(_visit, person, is_over) for person in people[:PERSON_COUNT]]
            _restart_everything(hosts, postgres)
            is_over.set()
            new = [message for visit in visits for message in visit.result()]
            poll_until_ended(running + new)
            ends = readers.result()
        messages = running + new
        return {
            **count_messages(messages, Path(), database_url),
            "sent_twice": sum(record.count > 1 for record in service.received_messages().values()),
            "without_end": sum(each.ended_at is None for each in messages),
            "running_states": dict(Counter(message.state for message in running)),
            "new_states": dict(Counter(message.state for message in new)),
            "readers_at_end": sum(ends) / streams,
            "tracebacks": sum(host.output.count("Traceback") for host in hosts),
            "writing_hosts": writing_hosts,
        }


def _contents(tag: str, count: int, seconds: float) -> list[str]:
    words = round(seconds / GAP_SECONDS)
    return [make_message(words, f"{tag}{number}.", gap=GAP_SECONDS) for number in range(count)]


def _restart_everything(hosts: Sequence[Host], postgres: Postgres) -> None:
    # First, because a portal that stops interrupts the replies that it writes.
    postgres.stop()
    time.sleep(OUTAGE_SECONDS)
    postgres.start()
    time.sleep(OUTAGE_SECONDS)
    for host in hosts:
        host.restart()


def _visit(person: Person, is_over: threading.Event) -> list[SentMessage]:
    """Send one message after the other; repeat each until it is accepted, as people do."""
    messages = []
    while not is_over.is_set():
        message = SentMessage(person, make_message(3, f"n{id(person)}-{len(messages)}."))
        messages.append(message)
        while not message.is_acknowledged:
            message.submit()
            time.sleep(RETRY_SECONDS)
    return messages


async def _read_all(messages: Sequence[SentMessage]) -> list[bool]:
    """Read all replies at once; return which of the readers have reached the end."""
    return await asyncio.gather(*map(_read_to_end, messages))


async def _read_to_end(message: SentMessage) -> bool:
    """Read a reply, and connect again whenever the connection ends, as browsers do."""
    headers: list[str] = []
    with suppress(TimeoutError):
        async with asyncio.timeout(READ_TIMEOUT_SECONDS):
            while True:
                with suppress(OSError):
                    reader, writer = await open_stream(message, *headers)
                    text = (await reader.read()).decode()
                    writer.close()
                    if re.search(r"^event: done", text, re.MULTILINE):
                        return True
                    if ids := re.findall(r"^id: (.+)$", text, re.MULTILINE):
                        headers = [f"Last-Event-ID: {ids[-1]}"]
                await asyncio.sleep(RETRY_SECONDS)
    return False
