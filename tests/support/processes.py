"""Servers in separate processes, and API keys created with the service's CLI."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

ROOT = Path(__file__).parents[2]


# Systems assign ports to clients and to servers on port 0 from 32,768 or higher.
UNASSIGNED_PORTS = range(20_000, 32_000)


def free_port() -> int:
    """Return a free port that no other process is assigned before a server uses it."""
    while True:
        port = random.choice(UNASSIGNED_PORTS)  # noqa: S311
        with suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port


class ServerProcess:
    """A server in a separate process."""

    def __init__(self, process: subprocess.Popen[str], url: str, start_output: str) -> None:
        self.process = process
        self.url = url
        self.start_output = start_output

    def stop(self, signal_number: signal.Signals) -> int:
        """Send a signal to the process group of the server, and return the exit status."""
        os.killpg(self.process.pid, signal_number)
        return self.process.wait(10)

    def read_output(self) -> str:
        """Return the output after the `Listening` line; block until the process ends."""
        assert self.process.stdout is not None
        return self.process.stdout.read()


@contextmanager
def run_server(data_dir: Path, *command: str, **settings: str) -> Iterator[ServerProcess]:
    """Start a server, wait for its `Listening` line, and stop it afterwards.

    `settings` become environment variables with the prefix `TWINDOW_`.
    """
    port = free_port()
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("TWINDOW_")
    }
    all_settings = {"DATA_DIR": str(data_dir), "PORT": str(port), **settings}
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
    try:
        lines = [process.stdout.readline()]
        while lines[-1] and "Listening" not in lines[-1]:
            lines.append(process.stdout.readline())
        assert lines[-1], "".join(lines)
        yield ServerProcess(process, f"http://127.0.0.1:{port}", "".join(lines))
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGINT)
            process.wait(10)
        process.stdout.close()


def create_api_key(data_dir: Path, sub: str, **settings: str) -> str:
    """Create an API key with full access, using the service's CLI."""
    all_settings = {"DATA_DIR": str(data_dir), **settings}
    command = [sys.executable, "-m", "service", "key", "--sub", sub, "--name", "test"]
    result = subprocess.run(
        [*command, "--scope", "full_access"],
        cwd=ROOT,
        env=os.environ | {f"TWINDOW_{name}": value for name, value in all_settings.items()},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()
