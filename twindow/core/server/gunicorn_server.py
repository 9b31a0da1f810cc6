"""The gunicorn server with gevent workers, configured in code.

Import this module only after gevent has patched the standard library.
"""

from __future__ import annotations

import errno
import logging
import math
import os
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from types import FrameType
from typing import Any, Protocol

import gevent
from gevent.server import StreamServer
from gunicorn.app.base import BaseApplication
from gunicorn.errors import AppImportError
from gunicorn.http import RequestParser
from gunicorn.workers.ggevent import GeventWorker

from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.migrations import UnsupportedDatabase
from twindow.core.server.client_connections import BodyReader, BoundedRequest, bound_output
from twindow.core.server.descriptors import MAX_CONNECTIONS, max_connections, raise_descriptor_limit
from twindow.core.settings import Settings

logger = logging.getLogger("twindow")

REFUSAL = (
    b"HTTP/1.1 503 Service Unavailable\r\n"
    b"Retry-After: 10\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
)
# Minimum time between two log lines about refused connections.
REFUSAL_LOG_SECONDS = 60
# Time within which the headers of a request must be complete. A connection that is idle for longer
# is closed.
HEADER_SECONDS = 10
# Pause before a worker that could not start tries again.
RETRY_SECONDS = 5
# Time for a worker to shut down, including its waits for locks in the database.
SHUTDOWN_SECONDS = 9
# Open streams are closed at once, so the requests that are still running are short.
REQUEST_GRACE_SECONDS = 2


class Application(Protocol):
    """WSGI application that can be started and closed."""

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Handle a request."""

    def start(self) -> None:
        """Start the background work."""

    def close(self) -> None:
        """Close all open streams, and stop the background work."""

    def disconnect(self) -> None:
        """Close the database, after the last request."""


class Worker(GeventWorker):  # type: ignore[misc]
    """A gevent worker that closes the application before it exits.

    gunicorn itself would keep open streams and idle connections for its whole grace period.
    """

    wsgi: Application | None = None
    # Time from the first read of a request body until the body must be complete.
    body_timeout_seconds = 30.0
    # How long a client may read nothing or be unreachable.
    write_timeout_seconds = 60.0
    running_requests = 0
    is_stopping = False
    _open_connections = 0
    _refusal_logged_at = -math.inf

    def init_process(self) -> None:
        """Start the worker in its process."""
        self._max_connections = max_connections()
        hub = gevent.get_hub()
        self._handle_hub_error = hub.handle_error
        hub.handle_error = self._handle_accept_error  # type: ignore[assignment]
        # gevent would accept 100 connections before it handles the first, and refuses the others.
        StreamServer.max_accept = 1
        super().init_process()

    def _handle_accept_error(self, context: Any, kind: Any, error: Any, traceback: Any) -> None:
        # gevent would print a traceback, and also tries again after a short delay.
        is_out_of_files = getattr(error, "errno", None) in (errno.EMFILE, errno.ENFILE)
        if is_out_of_files and isinstance(context, StreamServer):
            self._warn_about_refusal("Refusing connections: the limit of open files is reached.")
        else:
            self._handle_hub_error(context, kind, error, traceback)

    def notify(self) -> None:
        """Tell the master process that this worker is alive, or exit if the master has died."""
        if self.ppid == os.getppid():
            super().notify()
        elif not self.is_stopping:
            self.log.error("The master process has died. This worker exits.")
            self._schedule_exit(grace_seconds=REQUEST_GRACE_SECONDS)

    def handle(self, listener: Any, client: Any, address: Any) -> None:
        """Handle a connection, or refuse it if too many connections are open."""
        if self._open_connections >= self._max_connections:
            self._refuse(client)
            return
        self._open_connections += 1
        try:
            bound_output(client, self.write_timeout_seconds)
            super().handle(listener, client, address)
        finally:
            self._open_connections -= 1

    def _refuse(self, client: Any) -> None:
        with suppress(OSError):
            client.sendall(REFUSAL)
        client.close()
        self._warn_about_refusal(f"Refusing connections: {self._open_connections} are open.")

    def _warn_about_refusal(self, sentence: str) -> None:
        if time.monotonic() - self._refusal_logged_at > REFUSAL_LOG_SECONDS:
            self._refusal_logged_at = time.monotonic()
            self.log.warning(sentence)

    def handle_request(self, listener_name: Any, request: Any, *args: Any) -> Any:
        """Handle a request, and count it while it runs."""
        request.body.reader = BodyReader(request.body.reader, self.log, self.body_timeout_seconds)
        # Let other greenlets run: a client that keeps sending requests would block them.
        gevent.sleep(0)
        self.running_requests += 1
        try:
            return super().handle_request(listener_name, request, *args)
        except OSError as error:
            if error.errno == errno.ETIMEDOUT:  # gunicorn would log a traceback
                raise ConnectionResetError(errno.ECONNRESET, "write timeout") from None
            raise
        finally:
            self.running_requests -= 1

    def handle_exit(self, _sig: int, _frame: FrameType | None) -> None:
        """On SIGTERM, exit when no request is running, or after `REQUEST_GRACE_SECONDS`."""
        self._schedule_exit(grace_seconds=REQUEST_GRACE_SECONDS)

    def handle_quit(self, _sig: int, _frame: FrameType | None) -> None:
        """On SIGINT or SIGQUIT, exit at once."""
        self._schedule_exit(grace_seconds=0)

    def _schedule_exit(self, grace_seconds: float) -> None:
        # Ctrl-C arrives twice: from the terminal, and from the master, which received it as well.
        if not self.is_stopping:
            self.is_stopping = True
            gevent.spawn(self._close_and_exit, grace_seconds)

    def _close_and_exit(self, grace_seconds: float) -> None:
        # Runs in a greenlet, not in the signal handler itself, because closing waits for locks.
        try:
            if self.wsgi:
                self.wsgi.close()
        except Exception:
            self.log.exception("Shutdown failed; running replies will be marked as interrupted.")
        deadline = time.monotonic() + grace_seconds
        while self.running_requests and time.monotonic() < deadline:
            gevent.sleep(0.02)
        try:
            if self.wsgi:
                self.wsgi.disconnect()
        finally:
            # In a greenlet, SystemExit would only print a traceback. Nothing is left to close.
            os._exit(0)


class BindError(Exception):
    """Raised when the server cannot listen on the address; the message states the reason."""


class StartupError(AppImportError):  # type: ignore[misc]
    """Raised when an application cannot be created; gunicorn prints only the message."""


def _check_bindable(host: str, port: int) -> None:
    """Raise BindError at once if the address cannot be used.

    gunicorn would retry for six seconds, and not say which setting is wrong.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.create_server((host, port), family=family).close()
    except OSError as error:
        reason = error.strerror or error
        raise BindError(f"Cannot listen on {host}, port {port}: {reason}.") from None


class Server(BaseApplication):  # type: ignore[misc]
    """A gunicorn server; each worker creates its own application with `make_app`."""

    def __init__(
        self, make_app: Callable[[], Application], settings: Settings, **options: Any
    ) -> None:
        self._make_app = make_app
        host, port = settings.host, settings.port
        _check_bindable(host, port)
        raise_descriptor_limit()
        RequestParser.mesg_class = BoundedRequest  # gunicorn has no setting for this limit
        address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
        self._options = {
            "bind": address,
            "workers": settings.workers,
            "worker_class": Worker,
            "worker_connections": MAX_CONNECTIONS,
            "graceful_timeout": SHUTDOWN_SECONDS,
            "timeout": 60,
            "keepalive": HEADER_SECONDS,
            "loglevel": "warning",
            "control_socket_disable": True,
            # By default, gunicorn trusts the headers SCRIPT_NAME and PATH_INFO in requests from
            # any local process.
            "forwarder_headers": "",
            "forwarded_allow_ips": settings.trusted_proxies.text,
            "when_ready": lambda _: print(
                f"Listening on http://{address} (press Ctrl+C to stop)", flush=True
            ),
            "post_worker_init": lambda worker: worker.wsgi.start(),
            **options,
        }
        super().__init__()

    def load_config(self) -> None:
        """Apply the options; gunicorn's own configuration files and variables are ignored."""
        for name, value in self._options.items():
            self.cfg.set(name, value)

    def load(self) -> Application:
        """Create the application of a worker.

        While the database is unavailable, try again: gunicorn would end the whole server.
        """
        while True:
            try:
                return self._make_app()
            except UnsupportedDatabase as error:
                raise StartupError(str(error)) from None
            except DatabaseUnavailable as error:
                logger.error("A new worker cannot start yet: %s", error)  # noqa: TRY400
                time.sleep(RETRY_SECONDS)
