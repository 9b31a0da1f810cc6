"""Supervisor of the demo model: one child process for all workers, started on first use.

The worker that holds a file lock owns the child and restarts it when it exits; the other workers
read its address from a file. The child ends with its owner, and the next worker that acquires the
lock starts a new one.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import secrets
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from twindow.core.languages import N_
from twindow.core.secrets import write_private_file
from twindow.paths import ROOT

logger = logging.getLogger(__name__)

START_TIMEOUT_SECONDS = 30.0
STOP_TIMEOUT_SECONDS = 1.0
LOCK_POLL_SECONDS = 0.5
ADDRESS_POLL_SECONDS = 0.05
MAX_LOG_BYTES = 1024 * 1024


class DemoModelUnavailable(Exception):
    """Raised when the demo model cannot answer; the message says why."""


class DemoProcess:
    """The demo model server: starts and supervises the process, and knows its address.

    `window` is the context size in tokens per reply, `parallel` the number of parallel replies.
    `problem` says why this process cannot run the model; it is "" if there is no problem.
    """

    restart_delays: tuple[float, ...] = (0.5, 1, 2, 5, 10, 30)

    def __init__(self, data_dir: Path, *, window: int, parallel: int) -> None:
        self.window = window
        self.parallel = parallel
        self._address_file = data_dir / "model.json"
        self._lock_file = data_dir / "model.lock"
        self._log_file = data_dir / "model.log"
        self._supervisor: threading.Thread | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._is_stopping = False
        self.problem = ""

    def start(self) -> None:
        """Start the supervisor thread, unless it is running."""
        if self._supervisor is None:
            # Remove a stale address before the supervisor takes the lock: while the lock is held,
            # the address looks current.
            self._remove_stale_address()
            self._supervisor = threading.Thread(target=self._supervise, daemon=True, name="model")
            self._supervisor.start()

    def url_and_key(self) -> tuple[str, str]:
        """Return the base URL and the API key of the server; wait until it has started.

        Raises DemoModelUnavailable.
        """
        self.start()
        self._limit_log()
        deadline = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < deadline:
            if self.problem:
                raise DemoModelUnavailable(self.problem)
            self._remove_stale_address()
            with suppress(FileNotFoundError, ValueError, KeyError):
                server_info = json.loads(self._address_file.read_text())
                return server_info["address"] + "/v1", server_info["key"]
            time.sleep(ADDRESS_POLL_SECONDS)
        raise DemoModelUnavailable(N_("The demo model didn't start in time."))

    def stop(self) -> None:
        """Stop supervising, and end the child if this process owns it."""
        self._is_stopping = True
        if self._child and self._child.stdin:
            with suppress(BrokenPipeError):
                self._child.stdin.close()
        if self._supervisor:
            self._supervisor.join(STOP_TIMEOUT_SECONDS)

    def _remove_stale_address(self) -> None:
        """Delete the address file if no worker holds the lock, because then no child is running."""
        if self._child is None and self._address_file.exists():
            with self._lock_file.open("a") as lock:
                if _try_lock(lock):
                    self._address_file.unlink(missing_ok=True)

    def _supervise(self) -> None:
        with self._lock_file.open("w") as lock:
            while not _try_lock(lock):
                if self._is_stopping:
                    return
                time.sleep(LOCK_POLL_SECONDS)
            failures = 0
            while not self._is_stopping:
                started_at = time.monotonic()
                try:
                    self._run_child()
                except OSError:
                    logger.exception("Could not start the demo model.")
                    self.problem = N_("The demo model can't start on this machine right now.")
                if self._is_stopping:
                    return
                failures = 0 if time.monotonic() - started_at > 60 else failures + 1
                restart_delay = self.restart_delays[min(failures, len(self.restart_delays) - 1)]
                logger.warning("The demo model exited; restarting in %s s.", restart_delay)
                time.sleep(restart_delay)

    def _run_child(self) -> None:
        """Run the child until it exits."""
        key = secrets.token_urlsafe(24)
        self._address_file.unlink(missing_ok=True)
        self._limit_log()
        with self._log_file.open("a") as log:
            self._child = child = subprocess.Popen(  # noqa: S603
                [
                    sys.executable,
                    "-m",
                    "twindow.service.llm.demo.server",
                    str(self.window),
                    str(self.parallel),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,  # with a buffer, a write to a dead child would fail only on close
                cwd=ROOT,
                start_new_session=True,
            )
        with child:
            assert child.stdin is not None  # noqa: S101
            assert child.stdout is not None  # noqa: S101
            with suppress(BrokenPipeError, ValueError):
                child.stdin.write(f"{key}\n".encode())
            # The child prints its address, and nothing if it exits.
            if address := child.stdout.readline().decode().strip():
                self.problem = ""
                write_private_file(self._address_file, json.dumps({"address": address, "key": key}))
                child.stdout.read()  # returns when the child exits
            elif not self._is_stopping:
                self.problem = N_("The demo model can't start. See model.log in the data folder.")
            self._address_file.unlink(missing_ok=True)

    def _limit_log(self) -> None:
        """Empty the log if it is too large. The child continues to append to the log."""
        with suppress(FileNotFoundError):
            if self._log_file.stat().st_size > MAX_LOG_BYTES:
                os.truncate(self._log_file, 0)


def _try_lock(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
