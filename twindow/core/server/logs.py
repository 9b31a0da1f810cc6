"""Log lines with time, process, level, and the request, turn or reply that they are about."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TextIO

from flask import Flask, current_app, has_request_context
from sqlalchemy.engine import make_url

from twindow.core.settings import Settings
from twindow.core.urls import without_credentials
from twindow.core.version import read_version

# gunicorn's own lines have the same format, without `context`.
FORMAT = "[%(asctime)s] [%(process)d] [%(levelname)s] %(context)s%(message)s"
TIME_FORMAT = "%Y-%m-%d %H:%M:%S %z"
# gunicorn logs a warning for each malformed request.
MAX_WARNINGS_PER_MINUTE = 60
MAX_PATH_CHARACTERS = 200
REQUEST_ID_EXTENSION = "twindow-request-id"
# A thread with a name such as turn-<id> logs lines about a single turn or reply.
CONTEXT_THREADS = ("turn", "reply")

logger = logging.getLogger("twindow")
# Lines about who may use the portal: sign-ins, API keys and changes to people.
audit_logger = logging.getLogger("twindow.audit")
# For requests that anybody can send in any number: at most `MAX_WARNINGS_PER_MINUTE` lines.
request_logger = logging.getLogger("gunicorn.error")


class WarningLimit(logging.Filter):
    """Filter that passes all errors, and `MAX_WARNINGS_PER_MINUTE` other lines."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._monotonic = monotonic
        self._began_at = monotonic()
        self._count = 0

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write the line. Add a note to the line that reaches the limit."""
        if record.levelno >= logging.ERROR:
            return True
        if self._monotonic() - self._began_at >= 60:
            self._began_at, self._count = self._monotonic(), 0
        self._count += 1
        if self._count == MAX_WARNINGS_PER_MINUTE:
            record.msg = f"{record.msg} (Further warnings of this minute are left out.)"
        return self._count <= MAX_WARNINGS_PER_MINUTE


def configure_logging(stream: TextIO | None = None) -> logging.Handler:
    """Write warnings, errors and the start-up line to `stream` (default: stderr)."""
    handler = logging.StreamHandler(stream)
    handler.setFormatter(logging.Formatter(FORMAT, TIME_FORMAT))
    handler.addFilter(_add_context)
    logging.getLogger().addHandler(handler)
    request_logger.addFilter(WarningLimit())
    # urllib3 warns when its pool is full, for example after many replies were stopped at once.
    logging.getLogger("urllib3.connectionpool").setLevel(logging.ERROR)
    logger.setLevel(logging.INFO)
    return handler


def init_app(app: Flask, request_id: Callable[[], str]) -> None:
    """Use `request_id` to identify the requests of `app` in the log."""
    app.extensions[REQUEST_ID_EXTENSION] = request_id


def printable_path(path: str) -> str:
    """Return the path of a request for a log line: on one line, and shortened."""
    return repr(path)[:MAX_PATH_CHARACTERS]


def log_start(settings: Settings, *, is_portal: bool, has_demo_model: bool) -> None:
    """Log the version and the settings that matter most. Contains no secrets."""
    facts: dict[str, object] = {
        "data folder": settings.data_dir.resolve(),
        "database": _describe_database(settings),
    }
    if is_portal:
        url = without_credentials(settings.service_url)
        facts["service"] = "embedded" if settings.is_embedded else url
    if settings.is_embedded or not is_portal:
        facts["model"] = _describe_model(settings, has_demo_model=has_demo_model)
    facts["workers"] = settings.workers
    if is_portal:
        facts["sign-in"] = settings.sign_in.text
    name = "Twindow" if is_portal else "Twindow service"
    described = ", ".join(f"{fact}: {value}" for fact, value in facts.items())
    logger.info("%s %s starts. %s", name, read_version(), described)


def _describe_database(settings: Settings) -> str:
    if not settings.database_url:
        return "SQLite in the data folder"
    return make_url(settings.database_url).set(query={}).render_as_string(hide_password=True)


def _describe_model(settings: Settings, *, has_demo_model: bool) -> str:
    if not settings.model_url:
        return "demo model" if has_demo_model else "none"
    return f"{settings.model or 'first listed'} at {without_credentials(settings.model_url)}"


def _add_context(record: logging.LogRecord) -> bool:
    context = _context()
    record.context = "" if record.getMessage().startswith(context) else context
    return True


def _context() -> str:
    if has_request_context() and REQUEST_ID_EXTENSION in current_app.extensions:
        return f"request {current_app.extensions[REQUEST_ID_EXTENSION]()}: "
    kind, _, identifier = threading.current_thread().name.partition("-")
    return f"{kind} {identifier}: " if kind in CONTEXT_THREADS and identifier else ""
