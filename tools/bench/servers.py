"""The measured servers in separate processes: scripted service, portal and baseline."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.support.processes import run_server
from tools.chaos import probes, processes

START_TIMEOUT_SECONDS = 20
# A benchmark sends far more messages than people do.
SETTINGS = {"LIMITS": "none", "WORKERS": "1"}


@dataclass(frozen=True)
class ServerProcess:
    """The URL of a server, and the process that does its work."""

    url: str
    worker_pid: int

    def cpu_seconds(self) -> float:
        """Return the CPU time of the process, user and system."""
        return probes.cpu_seconds(self.worker_pid)


@dataclass(frozen=True)
class ScriptedService:
    """The scripted service."""

    url: str

    def reply_ended_at(self, tag: str) -> float | None:
        """Return when the last delta of a reply was sent, or None while it is being sent."""
        body = requests.get(f"{self.url}/over/{tag}", timeout=30).json()
        ended_at: float | None = body["at"]
        return ended_at


@contextmanager
def run_scripted_service() -> Iterator[ScriptedService]:
    """Run the scripted service."""
    with processes.run_scripted_service("tools.bench.scripted_service") as service:
        yield ScriptedService(service.url)


@contextmanager
def run_portal(service: ScriptedService) -> Iterator[ServerProcess]:
    """Serve Twindow as in production, with the scripted service."""
    with _run_server(service, "app.py") as serving:
        yield serving


@contextmanager
def run_baseline(service: ScriptedService) -> Iterator[ServerProcess]:
    """Serve the baseline, to which the portal is compared."""
    with _run_server(service, "-m", "tools.bench.baseline_app") as serving:
        yield serving


@contextmanager
def _run_server(service: ScriptedService, *command: str) -> Iterator[ServerProcess]:
    with (
        tempfile.TemporaryDirectory() as data,
        run_server(Path(data), *command, API_URL=service.url, API_KEY="any", **SETTINGS) as server,
    ):
        requests.get(f"{server.url}/readyz", timeout=START_TIMEOUT_SECONDS)
        yield ServerProcess(server.url, find_worker_pid(server.process.pid))


def find_worker_pid(master_pid: int) -> int:
    """Return the id of the only worker process of a server."""
    children = Path(f"/proc/{master_pid}/task/{master_pid}/children")
    deadline = time.monotonic() + START_TIMEOUT_SECONDS
    while not (pids := children.read_text().split()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return int(pids[0])
