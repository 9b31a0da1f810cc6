"""gunicorn with gevent, started in code. Import this only after gevent has patched the library."""

from __future__ import annotations

from collections.abc import Callable
from types import FrameType
from typing import Any, Protocol

import gevent
from gunicorn.app.base import BaseApplication
from gunicorn.workers.ggevent import GeventWorker

CONNECTIONS = 20_000
# Open streams are let go at once, so what is waited for is short.
GRACE_SECONDS = 5


class Application(Protocol):
    """What can be served: a WSGI application that begins and ends."""

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request."""

    def start(self) -> None:
        """Begin what runs beside requests."""

    def close(self) -> None:
        """Let every open stream go, and end what runs beside requests."""


class Worker(GeventWorker):  # type: ignore[misc]
    """Close the application before the worker ends: gunicorn would hold on to open streams."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """End when the running requests have ended (SIGTERM)."""
        gevent.spawn(self.wsgi.close)
        super().handle_exit(sig, frame)

    def handle_quit(self, sig: int, frame: FrameType | None) -> None:
        """End at once (SIGINT, SIGQUIT)."""
        # Not in the signal handler itself: closing waits for locks.
        closing = gevent.spawn(self.wsgi.close)
        closing.link(lambda _: super(Worker, self).handle_quit(sig, frame))


class Server(BaseApplication):  # type: ignore[misc]
    """Serve what `make` makes, in each worker anew."""

    def __init__(
        self, make: Callable[[], Application], *, host: str, port: int, workers: int, **more: Any
    ) -> None:
        self._make = make
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._options = {
            "bind": address,
            "workers": workers,
            "worker_class": Worker,
            "worker_connections": CONNECTIONS,
            "graceful_timeout": GRACE_SECONDS,
            "timeout": 60,
            "keepalive": 30,
            "loglevel": "warning",
            "control_socket_disable": True,
            "when_ready": lambda _: print(f"Serving http://{address} (Ctrl-C ends it)", flush=True),
            "post_worker_init": lambda worker: worker.wsgi.start(),
            **more,
        }
        super().__init__()

    def load_config(self) -> None:
        """Hand the options to gunicorn; nothing comes from its own files or variables."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Application:
        """Make the application."""
        return self._make()
