"""HTML of finished replies, rendered once and stored beside the final entry of the log."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress

from sqlalchemy import ColumnElement, or_, select, update

from twindow.chat.schema import entries
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable

logger = logging.getLogger(__name__)


class HtmlCache:
    """HTML of finished replies, stored for all processes.

    While a process renders a reply, its other requests for that reply wait for the same HTML.

    `render(text, turn_id)` converts the text of a reply to HTML; the turn id makes the ids in that
    HTML unique. `render_plain(text)` shows a text that cannot be rendered. HTML of an earlier
    `renderer_version` is outdated.
    """

    def __init__(
        self,
        database: Database,
        render: Callable[[str, str], str],
        render_plain: Callable[[str], str],
        renderer_version: int,
    ) -> None:
        self._database = database
        self._render = render
        self._render_plain = render_plain
        self._version = renderer_version
        self._lock = threading.Lock()
        self._in_progress: dict[tuple[str, str], Future[str]] = {}

    def add(self, turn_id: str, text: str) -> str:
        """Render the text of a finished reply, store the HTML and return it. Never raises.

        The HTML is stored only if the log contains the end of the reply. A text that cannot be
        rendered is returned as plain text. HTML that cannot be stored is rendered again when it is
        needed.
        """
        new_future: Future[str] = Future()
        with self._lock:
            future = self._in_progress.setdefault((turn_id, text), new_future)
        if future is new_future:
            try:
                future.set_result(self._render_and_store(turn_id, text))
            finally:
                del self._in_progress[turn_id, text]
                # If this greenlet was killed, release the greenlets that wait for the future. A
                # finished future cannot be cancelled.
                future.cancel()
        return future.result()

    def _render_and_store(self, turn_id: str, text: str) -> str:
        try:
            html = self._render(text, turn_id)
        except Exception:
            logger.exception("turn %s: could not render the reply", turn_id)
            return self._render_plain(text)
        # A reply without a stored end may still continue, so its HTML is not stored.
        version = entries.c.html_version
        is_older = or_(version.is_(None), version <= self._version)
        statement = update(entries).where(_is_end_of(turn_id), is_older)
        try:
            with self._database.write() as connection:
                connection.execute(statement.values(html=html, html_version=self._version))
        except DatabaseUnavailable:
            logger.warning("turn %s: could not store the HTML of the reply", turn_id)
        return html

    def get(self, turn_id: str, text: str) -> str:
        """Return the HTML of a finished reply. Render and store it if it is missing."""
        return (self._find(turn_id) or self.add(turn_id, text)) if text else ""

    def _find(self, turn_id: str) -> str | None:
        is_current = entries.c.html_version == self._version
        query = select(entries.c.html).where(_is_end_of(turn_id), is_current)
        with suppress(DatabaseUnavailable), self._database.read() as connection:
            html: str | None = connection.execute(query).scalar()
            return html
        return None


def _is_end_of(turn_id: str) -> ColumnElement[bool]:
    return (entries.c.turn_id == turn_id) & (entries.c.kind == "ended")
