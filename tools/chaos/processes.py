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

from tests.support.processes import ROOT, run_server

START_TIMEOUT_SECONDS = 20
STOP_TIMEOUT_SECONDS = 15


class Portal:
    """A portal in separate processes."""

    def __init__(self, process: subprocess.Popen[str], port: int) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.output: list[str] = []
        self._reader = threading.Thread(target=self._collect_output, daemon=True)
        self._reader.start()

    @property
    def worker_pids(self) -> list[int]:
        """Return the ids of the worker processes."""
        master = self.process.pid
        children = Path(f"/proc/{master}/task/{master}/children")
        return [int(child) for child in children.read_text().split()]

    def wait_until_healthy(self) -> float:
        """Wait until /readyz answers with 200; return the time of the answer (monotonic clock)."""
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            with (
                suppress(OSError, HTTPException),
                closing(
                    HTTPConnection("127.0.0.1", self.port, timeout=START_TIMEOUT_SECONDS)
                ) as connection,
            ):
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return time.monotonic()
            time.sleep(0.02)
        raise TimeoutError(f"The portal does not answer: {self.output}")

    def kill(self) -> None:
        """Kill all processes of the portal at once (SIGKILL)."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self, signum: signal.Signals = signal.SIGINT) -> int | None:
        """Send a signal to the master; return its exit status, or None if it had to be killed."""
        if self.process.poll() is None:
            self.process.send_signal(signum)
        try:
            status = self.process.wait(STOP_TIMEOUT_SECONDS)
        except subprocess.TimeoutExpired:
            status = None
        self.kill()
        self._reader.join()
        return status

    def _collect_output(self) -> None:
        # A pipe that nobody reads would block the portal when it is full.
        assert self.process.stdout is not None
        self.output.extend(self.process.stdout)


def database_settings(database_url: str | None) -> dict[str, str]:
    """Return the settings for this database; None is SQLite in the data folder."""
    return {"DATABASE_URL": database_url} if database_url else {}


@contextmanager
def run_portal(
    data: Path, port: int, service: ScriptedService, **settings: str
) -> Iterator[Portal]:
    """Serve the portal with the scripted service until the block ends."""
    connection_settings = {"PORT": str(port), "API_URL": service.url, "API_KEY": "any"}
    # In these tests, a few people send many messages.
    settings = {"LIMITS": "none"} | connection_settings | settings
    with run_server(data, "app.py", **settings) as server:
        portal = Portal(server.process, port)
        try:
            portal.wait_until_healthy()
            yield portal
        finally:
            portal.stop()


class ScriptedService:
    """The scripted service, as the chaos tests see it."""

    def __init__(self, url: str) -> None:
        self.url = url

    def received_messages(self, substring: str = "") -> dict[str, Any]:
        """Return the received messages that contain `substring`, with their counts and times."""
        response = requests.get(f"{self.url}/seen?{substring}", timeout=30)
        messages: dict[str, Any] = response.json()
        return messages


@contextmanager
def run_scripted_service(module: str = "tools.chaos.scripted_service") -> Iterator[ScriptedService]:
    """Run the scripted service, or another module that is started and stopped in the same way."""
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
        yield ScriptedService(f"http://127.0.0.1:{int(process.stdout.readline())}")
        process.stdin.close()
