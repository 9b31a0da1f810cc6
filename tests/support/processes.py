"""Servers in separate processes, and API keys created with the service's CLI."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from tests.support.waiting import poll_until, responds
from twindow.paths import ROOT

START_SECONDS = 20
STOP_SECONDS = 15

# Systems assign ports to clients and to servers on port 0 from 32,768 or higher.
UNASSIGNED_PORTS = range(20_000, 32_000)


def free_port() -> int:
    """Return a free port that no other process is assigned before a server uses it."""
    while True:
        port = random.choice(UNASSIGNED_PORTS)  # noqa: S311
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


def child_pids(pid: int) -> list[int]:
    """Return the ids of the child processes of a process."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class ServerProcess:
    """A server in separate processes.

    `start_output` is its output up to the `Listening` line, and `output` are the lines after it.
    """

    def __init__(self, process: subprocess.Popen[str], port: int, start_output: str) -> None:
        self.process = process
        self.port = port
        self.url = f"http://127.0.0.1:{port}"
        self.start_output = start_output
        self.output: list[str] = []
        # A pipe that nobody reads would block the server when it is full.
        assert process.stdout is not None
        self._reader = threading.Thread(target=self.output.extend, args=(process.stdout,))
        self._reader.start()

    @property
    def worker_pids(self) -> list[int]:
        """Return the ids of the worker processes."""
        return child_pids(self.process.pid)

    def wait_until_ready(self) -> float:
        """Wait until /readyz answers with 200; return the time of the answer (monotonic clock)."""
        assert poll_until(lambda: responds(f"{self.url}/readyz"), START_SECONDS), self.output
        return time.monotonic()

    def stop(self, signal_number: signal.Signals) -> int:
        """Send a signal to the process group of the server, and return the exit status."""
        os.killpg(self.process.pid, signal_number)
        return self.process.wait(STOP_SECONDS)

    def kill(self) -> None:
        """Kill all processes of the server at once (SIGKILL)."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def read_output(self) -> str:
        """Return the output after the `Listening` line; block until the processes end."""
        self._reader.join()
        return "".join(self.output)


@contextmanager
def run_server(data_dir: Path, *command: str, **settings: str) -> Iterator[ServerProcess]:
    """Start a server, wait for its `Listening` line, and kill it afterwards.

    `settings` become environment variables with the prefix `TWINDOW_`.
    """
    port = int(settings.get("PORT") or free_port())
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("TWINDOW_")
    }
    all_settings = {"DATA_DIR": str(data_dir), **settings, "PORT": str(port)}
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=ROOT,
        env=environment | {f"TWINDOW_{name}": value for name, value in all_settings.items()},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    assert process.stdout is not None
    lines = [process.stdout.readline()]
    while lines[-1] and "Listening" not in lines[-1]:
        lines.append(process.stdout.readline())
    server = ServerProcess(process, port, "".join(lines))
    try:
        assert lines[-1], server.start_output
        yield server
    finally:
        server.kill()
        server.read_output()
        process.stdout.close()


@contextmanager
def run_portal(data_dir: Path, service_url: str, **settings: str) -> Iterator[ServerProcess]:
    """Run a portal that uses a service and has no limits of messages, and wait until it is ready.

    Tests send more messages than people do.
    """
    connection = {"API_URL": service_url, "API_KEY": "any"}
    with run_server(data_dir, "app.py", **{"LIMITS": "none"} | connection | settings) as server:
        server.wait_until_ready()
        yield server


def create_api_key(data_dir: Path, sub: str, **settings: str) -> str:
    """Create an API key with full access, using the service's CLI.

    A server that has just started listening may still be creating its database.
    """
    all_settings = {"DATA_DIR": str(data_dir), **settings}
    command = [sys.executable, "-m", "twindow.service", "key", "--sub", sub, "--name", "test"]
    deadline = time.monotonic() + START_SECONDS
    while True:
        result = subprocess.run(
            [*command, "--scope", "full_access"],
            cwd=ROOT,
            env=os.environ | {f"TWINDOW_{name}": value for name, value in all_settings.items()},
            capture_output=True,
            text=True,
            check=False,
        )
        if result.returncode == 0:
            return result.stdout.strip()
        assert time.monotonic() < deadline, result.stderr
