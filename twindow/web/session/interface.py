"""Sessions: a random id in a cookie, and a database row. There is none before it is needed."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask, Request, Response, current_app, g, request, session
from flask_session.base import ServerSideSession, ServerSideSessionInterface

from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.secrets import keyed_hash
from twindow.web.container import portal
from twindow.web.exemptions import sessionless_paths
from twindow.web.session.browser_id import cookie_name, read_browser_id
from twindow.web.session.fields import EXTENDED_DAY_FIELD, SIGN_IN_FIELD, VISITOR_FIELD
from twindow.web.session.rows import SessionRows

logger = logging.getLogger(__name__)

SESSION_LIFETIME = timedelta(days=365)
# The lifetime of a session that contains only preferences. The first accepted message assigns the
# session to a person and extends its lifetime.
PREFERENCES_LIFETIME = timedelta(days=1)
DAY_SECONDS = 86_400
STATIC_PATH = "/static/"
AVATARS_PATH = "/avatars/"


class Session(ServerSideSession):  # type: ignore[misc]
    """Session that knows what has changed since it was opened.

    `loaded_key` is the key of the row that it was loaded from, or None.
    """

    def __init__(self, initial: dict[str, Any] | None = None, **options: Any) -> None:
        self.loaded = dict(initial or {})
        self.loaded_key: str | None = None
        self.is_saved = False
        super().__init__(initial, **options)

    @property
    def changes(self) -> dict[str, Any]:
        """Return the items that were set since the session was opened."""
        loaded = self.loaded
        return {
            name: value
            for name, value in self.items()
            if name not in loaded or loaded[name] != value
        }

    @property
    def removed_names(self) -> set[str]:
        """Return the names of the items that were removed since the session was opened."""
        return set(self.loaded) - set(self)


class DatabaseSessionInterface(ServerSideSessionInterface):  # type: ignore[misc]
    """Flask-Session's interface with a table, which has only hashes of session ids."""

    _sessionless_paths: frozenset[str] = frozenset()

    def __init__(self, app: Flask, rows: SessionRows) -> None:
        super().__init__(app, permanent=False)
        self.rows = rows

    def get_cookie_name(self, app: Flask) -> str:  # noqa: ARG002
        """Return the name of the cookie, which depends on the request."""
        return cookie_name()

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002
        """Return whether this request uses https: browsers refuse a secure cookie over http."""
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> Any:
        """Open the session; return a null session if the path needs none or the database fails.

        After a failure, `_require_session` ends the request with an error.
        """
        if self._is_sessionless(app, request.path):
            return self.make_null_session(app)
        sid = request.cookies.get(self.get_cookie_name(app))
        try:
            data = self._retrieve_session_data(self._get_store_id(sid)) if sid else None
        except DatabaseUnavailable:
            g.session_unavailable = True
            return self.make_null_session(app)
        if sid is None or data is None:
            return Session(sid=self._generate_sid(self.sid_length))
        session = Session(data, sid=sid)
        session.loaded_key = self._get_store_id(sid)
        return session

    def save_session(self, app: Flask, session: Any, response: Response) -> None:
        """Save the session. Only log a database failure, so that the response is still sent."""
        try:
            if session or not session.loaded_key:
                super().save_session(app, session, response)
            else:
                self._delete_session(session.loaded_key)
                # Flask-Session would leave `secure` out, and browsers then keep a `__Host-` cookie.
                response.delete_cookie(
                    cookie_name(), secure=request.is_secure, httponly=True, samesite="Lax"
                )
        except DatabaseUnavailable:
            logger.warning("Could not save a session.")

    def get_expiration_time(self, app: Flask, session: Any) -> datetime:  # noqa: ARG002
        """Return the expiry time of the cookie and of its row."""
        return datetime.now(UTC) + _lifetime(session)

    def should_set_cookie(self, app: Flask, session: Any) -> bool:
        """Return whether to set the cookie; False if the session has ended meanwhile."""
        return bool(session.is_saved and super().should_set_cookie(app, session))

    def _is_sessionless(self, app: Flask, path: str) -> bool:
        if path.startswith(AVATARS_PATH):
            return _are_avatars_public()
        if not self._sessionless_paths:
            self._sessionless_paths = sessionless_paths(app)
        return path in self._sessionless_paths or path.startswith(STATIC_PATH)

    def _get_store_id(self, sid: str) -> str:
        # An id is valid only under the cookie name it was issued for: an id from a cookie that a
        # sibling host can set is worthless in a `__Host-` cookie.
        return keyed_hash(str(current_app.secret_key), "session", cookie_name(), sid)

    def _retrieve_session_data(self, store_id: str) -> dict[str, Any] | None:
        return self.rows.get(store_id)

    def _delete_session(self, store_id: str) -> None:
        self.rows.delete(store_id)

    def _upsert_session(
        self,
        session_lifetime: timedelta,  # noqa: ARG002
        session: Any,
        store_id: str,
    ) -> None:
        """Store only what this request has changed, to keep the changes of concurrent requests."""
        is_new = session.loaded_key != store_id
        session.is_saved = self.rows.merge(
            store_id,
            session.changes,
            session.removed_names,
            new_value=session.loaded if is_new else None,
            replaced_key=session.loaded_key if is_new else None,
            seconds=int(_lifetime(session).total_seconds()),
        )


def init_app(app: Flask, database: Database) -> None:
    """Configure the sessions."""
    app.config.update(
        SESSION_COOKIE_HTTPONLY=True,
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        PERMANENT_SESSION_LIFETIME=SESSION_LIFETIME,
    )
    app.before_request(_require_session)
    app.before_request(_extend_session)
    app.session_interface = DatabaseSessionInterface(app, SessionRows(database))


def _are_avatars_public() -> bool:
    """Return whether everybody sees the same avatars, so that their responses need no session."""
    is_same_for_all = portal().twin_permissions(()).is_unlimited
    return portal().settings.sign_in.allows_visitors and is_same_for_all


def _lifetime(session: Session) -> timedelta:
    if session.get(VISITOR_FIELD):
        return SESSION_LIFETIME
    if session.get(SIGN_IN_FIELD) or g.get("signed_in_person"):
        return timedelta(seconds=portal().settings.sign_in_max_age)
    return PREFERENCES_LIFETIME


def session_rows() -> SessionRows:
    """Return the repository of sessions and of other values with an expiry time."""
    rows: SessionRows = current_app.session_interface.rows  # type: ignore[attr-defined]
    return rows


def claim_idempotency_key(idempotency_key: str) -> bool:
    """Return whether this browser submits the idempotency key for the first time in a day.

    Of concurrent submissions, exactly one gets True.
    """
    parts = "idempotency key", read_browser_id(), idempotency_key
    return session_rows().add(keyed_hash(str(current_app.secret_key), *parts), seconds=DAY_SECONDS)


def _require_session() -> None:
    """Raise DatabaseUnavailable if the session could not be opened.

    Otherwise, the person would become a new visitor.
    """
    if "session_unavailable" in g:
        raise DatabaseUnavailable


def _extend_session() -> None:
    """Modify a permanent session once a day, so that it is saved and its lifetime extended."""
    today = int(portal().clock.time() // DAY_SECONDS)
    if session.permanent and session.get(EXTENDED_DAY_FIELD) != today:
        session[EXTENDED_DAY_FIELD] = today
