"""The processes under test: a portal that is started and killed, and its service."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from typing import Any

import requests

from tests.support.processes import ROOT, running

START_SECONDS = 20
END_SECONDS = 15


class Portal:
    """A portal in processes of its own."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.output: list[str] = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    @property
    def workers(self) -> list[int]:
        """Return the ids of the processes that serve."""
        master = self.process.pid
        children = Path(f"/proc/{master}/task/{master}/children")
        return [int(child) for child in children.read_text().split()]

    def wait_until_it_answers(self) -> float:
        """Return the time of the first answer."""
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            with (
                suppress(OSError, HTTPException),
                closing(
                    HTTPConnection("127.0.0.1", self.port, timeout=START_SECONDS)
                ) as connection,
            ):
                connection.request("GET", "/healthz")
                if connection.getresponse().status == 200:
                    return time.monotonic()
            time.sleep(0.02)
        raise TimeoutError(f"The portal does not answer: {self.output}")

    def kill(self) -> None:
        """Kill all its processes at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def end(self, number: signal.Signals = signal.SIGINT) -> int | None:
        """Ask the master to end, and return its exit status; None when it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            status = self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        self.kill()
        self._reader.join()
        return status

    def _read(self) -> None:
        # A pipe that nobody empties would stop the portal when it is full.
        assert self.process.stdout is not None
        self.output.extend(self.process.stdout)


@contextmanager
def serving(data: Path, port: int, service: Service, **settings: str) -> Iterator[Portal]:
    """Serve the portal in front of the service until the block ends."""
    # A few people do here what many do in days: no hour must bound them.
    unbounded = {"API_HOURLY_LIMIT": "1000000000", "API_FAIR_SHARE": "1"}
    own = {"PORT": str(port), "API_URL": service.url, "API_KEY": "any"}
    settings = unbounded | own | settings
    with running(data, "app.py", **settings) as server:
        portal = Portal(server.process, port)
        try:
            portal.wait_until_it_answers()
            yield portal
        finally:
            portal.end()


class Service:
    """The scripted service, as the harness sees it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def seen(self, wanted: str = "") -> dict[str, Any]:
        """Return the messages that came and hold what is wanted."""
        answer = requests.get(f"{self.url}/seen?{wanted}", timeout=30)
        found: dict[str, Any] = answer.json()
        return found


@contextmanager
def scripted_service(module: str = "tools.chaos.service") -> Iterator[Service]:
    """Run the scripted service, or one that is started and ended in the same way."""
    with subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield Service(f"http://127.0.0.1:{int(process.stdout.readline())}")
        process.stdin.close()
