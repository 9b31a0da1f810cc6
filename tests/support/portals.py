"""Portals for tests: their tables, a real socket, and a clean shutdown."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server

from twindow.core.db.database import Database
from twindow.core.db.migrations import migrate
from twindow.paths import MIGRATIONS
from twindow.service import app as service
from twindow.web.container import EXTENSION_KEY, Portal


def create_tables(url: str) -> None:
    """Create the tables of the portal and of the service, which may share a database."""
    database = Database(url)
    migrate(database, MIGRATIONS, "alembic_version")
    migrate(database, service.MIGRATIONS_DIR, "service_alembic_version")
    database.close()


class _QuietRequestHandler(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log(self, *_: Any) -> None:
        """Log nothing."""


@contextmanager
def serve(app: Any, port: int = 0) -> Iterator[str]:
    """Serve a WSGI application on a real socket and yield its URL. Port 0 is any free port."""
    server = make_server(
        "127.0.0.1", port, app, threaded=True, request_handler=_QuietRequestHandler
    )
    server.daemon_threads = True  # type: ignore[attr-defined]
    server.block_on_close = False  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, args=(0.002,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def close_portal(app: Flask) -> None:
    """Close a portal: wait for the threads that use its database, then close it."""
    portal = get_portal(app)
    portal.log.close()
    join_threads("turn-", "reply-", "twin-catalogue", "recovery")
    portal.client.close()
    portal.renderer.close()
    portal.database.close()


def join_threads(*prefixes: str) -> None:
    """Wait until the threads whose names begin with one of these prefixes have ended."""
    for thread in threading.enumerate():
        if thread.name.startswith(prefixes):
            thread.join(10)


def get_portal(app: Flask) -> Portal:
    """Return the container of a portal."""
    portal: Portal = app.extensions[EXTENSION_KEY]
    return portal
