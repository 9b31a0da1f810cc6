"""Cache of the HTML of finished replies, by turn and renderer version."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass

from sqlalchemy import (
    Column,
    ForeignKey,
    Integer,
    String,
    Table,
    Text,
    exists,
    literal,
    select,
)
from sqlalchemy.exc import IntegrityError

from chat.schema import turns
from core.database import Database, DatabaseUnavailable, insert_or_ignore, metadata
from rendering import RENDERER_VERSION, render_plain

logger = logging.getLogger(__name__)

html_cache = Table(
    "html_cache",
    metadata,
    Column("turn_id", String(32), ForeignKey("turns.id", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("html", Text, nullable=False),
)


@dataclass(frozen=True, slots=True)
class CachedHtml:
    """HTML of a reply; `is_current` is False if an earlier version of the renderer made it."""

    html: str
    is_current: bool


class HtmlCache:
    """HTML of finished replies, rendered once and shared by all processes.

    While a process renders a reply, its other requests for that reply wait for the same HTML.

    `render(text, turn_id)` converts the text of a reply to HTML; the turn id makes the ids in that
    HTML unique.
    """

    def __init__(self, database: Database, render: Callable[[str, str], str]) -> None:
        self._database = database
        self._render = render
        self._lock = threading.Lock()
        self._in_progress: dict[tuple[str, str], Future[str]] = {}

    def find(self, turn_ids: Iterable[str]) -> Mapping[str, CachedHtml]:
        """Return the newest cached HTML by turn id, in one query. Raises DatabaseUnavailable."""
        ids = list(turn_ids)
        if not ids:
            return {}
        query = select(html_cache).where(html_cache.c.turn_id.in_(ids))
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(html_cache.c.version))
            return {
                row.turn_id: CachedHtml(row.html, is_current=row.version == RENDERER_VERSION)
                for row in rows
            }

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
            return render_plain(text)
        # A reply without a stored end may still continue, so its HTML is not stored.
        row = select(literal(turn_id), literal(RENDERER_VERSION), literal(html)).where(
            exists().where(turns.c.id == turn_id, turns.c.producer == "")
        )
        try:
            with self._database.write() as connection:
                insert = insert_or_ignore(connection, html_cache)
                connection.execute(insert.from_select(list(html_cache.c), row))
        except (DatabaseUnavailable, IntegrityError):  # IntegrityError: the turn was deleted
            logger.warning("turn %s: could not store the HTML of the reply", turn_id)
        return html

    def get(self, turn_id: str, text: str) -> str:
        """Return the HTML of a finished reply. Render and store it if it is missing."""
        if not text:
            return ""
        try:
            cached = self.find([turn_id]).get(turn_id)
        except DatabaseUnavailable:
            cached = None
        return cached.html if cached and cached.is_current else self.add(turn_id, text)
