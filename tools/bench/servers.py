"""What is measured, in processes of their own: the scripted service, the portal, the bare page."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import requests

from tests.support.processes import running
from tools.chaos import measures, processes

START_SECONDS = 20
# One person does here what many do in days.
UNBOUNDED = {"API_HOURLY_LIMIT": "1000000000", "API_FAIR_SHARE": "1", "WORKERS": "1"}


@dataclass(frozen=True)
class Serving:
    """An address, and the process whose work answers there."""

    url: str
    worker: int

    def cpu_seconds(self) -> float:
        """Return how long the process has computed, user and system."""
        return measures.cpu_seconds(self.worker)


@dataclass(frozen=True)
class Service:
    """The scripted service."""

    url: str

    def over(self, tag: str) -> float | None:
        """Return when the last piece of a reply left, None while it is being sent."""
        answer = requests.get(f"{self.url}/over/{tag}", timeout=30).json()
        at: float | None = answer["at"]
        return at


@contextmanager
def scripted() -> Iterator[Service]:
    """Run the scripted service."""
    with processes.scripted_service("tools.bench.service") as service:
        yield Service(service.url)


@contextmanager
def portal(service: Service) -> Iterator[Serving]:
    """Serve Twindow as it is served for real, in front of the service."""
    with _served(service, "app.py") as serving:
        yield serving


@contextmanager
def bare(service: Service) -> Iterator[Serving]:
    """Serve the bare page and the plain pass-through: what the portal is compared with."""
    with _served(service, "-m", "tools.bench.bare") as serving:
        yield serving


@contextmanager
def _served(service: Service, *command: str) -> Iterator[Serving]:
    with (
        tempfile.TemporaryDirectory() as data,
        running(Path(data), *command, API_URL=service.url, API_KEY="any", **UNBOUNDED) as server,
    ):
        requests.get(f"{server.url}/healthz", timeout=START_SECONDS)
        yield Serving(server.url, worker_of(server.process.pid))


def worker_of(master: int) -> int:
    """Return the one process that a server has started for its work."""
    children = Path(f"/proc/{master}/task/{master}/children")
    give_up = time.monotonic() + START_SECONDS
    while not (found := children.read_text().split()) and time.monotonic() < give_up:
        time.sleep(0.02)
    return int(found[0])
