"""gunicorn with gevent, started in code. Import this only after gevent has patched the library."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

import gevent
from gunicorn.app.base import BaseApplication
from gunicorn.errors import AppImportError
from gunicorn.workers.ggevent import GeventWorker

MAX_CONNECTIONS = 20_000
SHUTDOWN_SECONDS = 5
# Open streams are let go at once, so what is still running then is short.
REQUEST_GRACE_SECONDS = 2


class Application(Protocol):
    """What can be served: a WSGI application that begins and ends."""

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request."""

    def start(self) -> None:
        """Begin what runs beside requests."""

    def close(self) -> None:
        """Let every open stream go, and end what runs beside requests."""


class Worker(GeventWorker):  # type: ignore[misc]
    """Close the application before the worker ends.

    gunicorn would hold on to open streams, and to idle connections, for its whole time of grace.
    """

    wsgi: Application | None = None
    running_requests = 0
    is_stopping = False

    def handle_request(self, *args: Any) -> Any:
        """Answer a request, and count it while it runs."""
        # A connection whose next request is always there already would never let others go on.
        gevent.sleep(0)
        self.running_requests += 1
        try:
            return super().handle_request(*args)
        finally:
            self.running_requests -= 1

    def handle_exit(self, _sig: int, _frame: FrameType | None) -> None:
        """End when the running requests have ended (SIGTERM)."""
        self._schedule_exit(grace_seconds=REQUEST_GRACE_SECONDS)

    def handle_quit(self, _sig: int, _frame: FrameType | None) -> None:
        """End at once (SIGINT, SIGQUIT)."""
        self._schedule_exit(grace_seconds=0)

    def _schedule_exit(self, grace_seconds: float) -> None:
        # Ctrl-C comes twice: from the terminal, and from the master, which had it as well.
        if not self.is_stopping:
            self.is_stopping = True
            gevent.spawn(self._close_and_exit, grace_seconds)

    def _close_and_exit(self, grace_seconds: float) -> None:
        # In a greenlet, not in the signal handler itself: closing waits for locks.
        try:
            if self.wsgi:
                self.wsgi.close()
        except Exception:
            self.log.exception("Closing failed; what was running counts as lost.")
        deadline = time.monotonic() + grace_seconds
        while self.running_requests and time.monotonic() < deadline:
            gevent.sleep(0.02)
        # Everything is stored and closed. SystemExit in a greenlet would only print a traceback.
        os._exit(0)


class BindError(Exception):
    """Raised when nothing can be served at the address; the text says why."""


class StartupError(AppImportError):  # type: ignore[misc]
    """Raised by what makes the application; gunicorn prints the text and no traceback."""


def _check_bindable(host: str, port: int) -> None:
    """Find out at once; gunicorn would try for six seconds, and not say which setting is wrong."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = error.strerror or error
        raise BindError(f"Nothing can be served at {host}, port {port}: {reason}.") from None


class Server(BaseApplication):  # type: ignore[misc]
    """Serve what `make` makes, in each worker anew."""

    def __init__(
        self,
        make_app: Callable[[], Application],
        *,
        host: str,
        port: int,
        workers: int,
        **options: Any,
    ) -> None:
        self._make_app = make_app
        _check_bindable(host, port)
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._options = {
            "bind": address,
            "workers": workers,
            "worker_class": Worker,
            "worker_connections": MAX_CONNECTIONS,
            "graceful_timeout": SHUTDOWN_SECONDS,
            "timeout": 60,
            "keepalive": 30,
            "loglevel": "warning",
            "control_socket_disable": True,
            # Else whoever is on the machine could move the whole site by a header.
            "forwarder_headers": "",
            "when_ready": lambda _: print(f"Serving http://{address} (Ctrl-C ends it)", flush=True),
            "post_worker_init": lambda worker: worker.wsgi.start(),
            **options,
        }
        super().__init__()

    def load_config(self) -> None:
        """Hand the options to gunicorn; nothing comes from its own files or variables."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Application:
        """Make the application."""
        return self._make_app()
