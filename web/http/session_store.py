"""Server-side sessions, stored by Flask-Session in the portal's database."""

from __future__ import annotations

import logging
from datetime import timedelta
from typing import Any

import msgspec
from cachelib.base import BaseCache
from flask import Flask, Request, Response, current_app, g, request, session
from flask_session.cachelib import CacheLibSessionInterface
from sqlalchemy import Connection, bindparam, delete, select

from chat.schema import sessions
from core.database import Database, DatabaseUnavailable, insert_or_ignore, upsert
from web.container import portal

logger = logging.getLogger(__name__)

SESSION_LIFETIME = timedelta(days=365)
# For visitors who never submitted a form: crawlers send no cookie and get a new session each time.
VISITOR_LIFETIME = timedelta(days=1)
DAY_SECONDS = 86_400
# Minimum time between two deletions of expired rows.
PURGE_INTERVAL_SECONDS = 60
# Responses there do not depend on the person. They need no database, and work without one.
SESSIONLESS_PATHS = (
    *("/static/", "/avatars/", "/favicon.ico", "/manifest.webmanifest"),
    *("/livez", "/healthz", "/readyz"),
)
# Built once: constructing the statement takes longer than executing it.
_SELECT_BY_KEY = select(sessions.c.data, sessions.c.expires_at).where(
    sessions.c.key == bindparam("key")
)


class DatabaseCache(BaseCache):
    """Cache that stores sessions in a table, encoded as MessagePack.

    It replaces cachelib's file store, which unpickles stored data and counts files in a directory.
    """

    def __init__(self, database: Database) -> None:
        super().__init__()
        self.database = database
        self._clock = database.clock
        self._purged_at = 0.0

    def get(self, key: str) -> Any:
        """Return the value of a key, or None if it is missing, expired or cannot be decoded."""
        if "\0" in key:  # PostgreSQL text cannot contain NUL
            return None
        with self.database.read() as connection:
            row = connection.execute(_SELECT_BY_KEY, {"key": key}).first()
        if row is None or row.expires_at < self._clock.time():
            return None
        try:
            return msgspec.msgpack.decode(row.data, type=dict[str, Any])
        except msgspec.MsgspecError:
            return None

    def set(self, key: str, value: Any, timeout: Any = None) -> bool:
        """Store a value for `timeout` seconds. From time to time, also delete expired rows."""
        with self.database.write() as connection:
            self._purge_expired(connection)
            upsert(connection, sessions, "key", self._row(key, value, timeout))
        return True

    def add(self, key: str, value: Any, timeout: Any = None) -> bool:
        """Store a value if the key does not exist. Return whether it was stored."""
        with self.database.write() as connection:
            self._purge_expired(connection)
            insert = insert_or_ignore(connection, sessions)
            return bool(connection.execute(insert, self._row(key, value, timeout)).rowcount)

    def delete(self, key: str) -> bool:
        """Delete the value of a key."""
        with self.database.write() as connection:
            connection.execute(delete(sessions).where(sessions.c.key == key))
        return True

    def _row(self, key: str, value: Any, timeout: Any) -> dict[str, Any]:
        expires_at = self._clock.time() + self._normalize_timeout(timeout)
        return {"key": key, "data": msgspec.msgpack.encode(value), "expires_at": expires_at}

    def _purge_expired(self, connection: Connection) -> None:
        now = self._clock.time()
        if not 0 <= now - self._purged_at < PURGE_INTERVAL_SECONDS:
            connection.execute(delete(sessions).where(sessions.c.expires_at < now))
            self._purged_at = now


class DatabaseSessionInterface(CacheLibSessionInterface):  # type: ignore[misc]
    """Session interface that marks the cookie Secure on https only, so that http works, too."""

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002
        """Return whether this request uses https."""
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> Any:
        """Open the session. Return a null session on sessionless paths and database failures.

        After a failure, `_require_session` ends the request with an error.
        """
        if request.path.startswith(SESSIONLESS_PATHS):
            return self.make_null_session(app)
        try:
            return super().open_session(app, request)
        except DatabaseUnavailable:
            g.session_unavailable = True
            return self.make_null_session(app)

    def _upsert_session(self, session_lifetime: timedelta, session: Any, store_id: str) -> None:
        lifetime = session_lifetime if session.permanent else VISITOR_LIFETIME
        super()._upsert_session(lifetime, session, store_id)

    def save_session(self, app: Flask, session: Any, response: Response) -> None:
        """Save the session. Log database failures only, so that the response is still sent."""
        if self.is_null_session(session):
            return
        try:
            super().save_session(app, session, response)
        except DatabaseUnavailable:
            logger.warning("Could not save a session.")


def init_app(app: Flask, database: Database) -> None:
    """Configure the sessions."""
    app.config.update(
        SESSION_COOKIE_NAME="twindow",
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
    )
    app.before_request(_require_session)
    app.before_request(_extend_session)
    app.session_interface = DatabaseSessionInterface(
        client=DatabaseCache(database), permanent=False
    )


def claim_idempotency_key(idempotency_key: str) -> bool:
    """Return whether this session submits the key for the first time within a day.

    Of concurrent submissions, exactly one gets True.
    """
    cache: DatabaseCache = current_app.session_interface.cache  # type: ignore[attr-defined]
    cache_key = f"idempotency-key:{session.sid}:{idempotency_key}"  # type: ignore[attr-defined]
    return cache.add(cache_key, value=True, timeout=DAY_SECONDS)


def _require_session() -> None:
    """Prevent that a person becomes a new visitor while the database is unavailable.

    Raises DatabaseUnavailable when the session could not be opened.
    """
    if "session_unavailable" in g:
        raise DatabaseUnavailable


def _extend_session() -> None:
    """Change a permanent session once a day, so that saving it extends its lifetime."""
    today = int(portal().clock.time() // DAY_SECONDS)
    if session.permanent and session.get("seen") != today:
        session["seen"] = today
