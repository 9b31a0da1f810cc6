"""Sessions: a signed cookie at first, and a database row once there is something to keep."""

from __future__ import annotations

import logging
import secrets
from datetime import UTC, datetime, timedelta
from typing import Any

from flask import Flask, Request, Response, current_app, g, request, session
from flask_session.cachelib import CacheLibSession, CacheLibSessionInterface

from core.db.database import Database, DatabaseUnavailable
from core.secrets import keyed_hash
from web.container import portal
from web.http.csrf_cookie import VISITOR_SECONDS, read_visitor, sign_visitor
from web.http.exemptions import sessionless_paths
from web.http.session_rows import DatabaseCache
from web.session_fields import (
    CSRF_FIELD,
    EXTENDED_DAY_FIELD,
    PROXY_PERSON_FIELD,
    SIGN_IN_FIELD,
    VISITOR_FIELD,
)

logger = logging.getLogger(__name__)

COOKIE_NAME = "twindow"
# Browsers accept a `__Host-` cookie only from the host itself, with the path "/". Over HTTPS, a
# sibling host can set a `__Secure-` cookie, which may have a path.
HOST_PREFIX, SECURE_PREFIX = "__Host-", "__Secure-"
BINDING_COOKIE_NAME = f"{HOST_PREFIX}{COOKIE_NAME}-binding"
SESSION_LIFETIME = timedelta(days=365)
# The lifetime of a session that contains only preferences. The first accepted message assigns the
# session to a person and extends its lifetime.
PREFERENCES_LIFETIME = timedelta(days=1)
DAY_SECONDS = 86_400
STATIC_PATH = "/static/"
AVATARS_PATH = "/avatars/"


class Session(CacheLibSession):  # type: ignore[misc]
    """Session that knows what has changed since it was opened.

    A permanent session has a row in the database. Any other session is a visitor's, and has only a
    cookie.
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


class DatabaseSessionInterface(CacheLibSessionInterface):  # type: ignore[misc]
    """Session interface that stores only hashes of session ids.

    The session of a visitor who has not sent or saved anything is only in a cookie.
    """

    session_class = Session
    _sessionless_paths: frozenset[str] = frozenset()

    def get_cookie_name(self, app: Flask) -> str:  # noqa: ARG002
        """Return the name of the cookie, with the strictest prefix that browsers allow."""
        if not request.is_secure:
            return COOKIE_NAME
        return f"{SECURE_PREFIX if request.script_root else HOST_PREFIX}{COOKIE_NAME}"

    def get_cookie_path(self, app: Flask) -> str:  # noqa: ARG002
        """Return the path of the portal, so that other sites on the host do not get the cookie."""
        return f"{request.script_root}/"

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002
        """Return whether this request uses https: browsers refuse a secure cookie over http."""
        return request.is_secure

    def open_session(self, app: Flask, request: Request) -> Any:
        """Open the session; return a null session if the path needs none or the database fails.

        After a failure, `_require_session` ends the request with an error.
        """
        if self._is_sessionless(app, request.path):
            return self.make_null_session(app)
        name = self.get_cookie_name(app)
        try:
            return self._load(app, request, name) or self._open_visitor(app, request)
        except DatabaseUnavailable:
            g.session_unavailable = True
            return self.make_null_session(app)

    def save_session(self, app: Flask, session: Any, response: Response) -> None:
        """Save the session. Only log a database failure, so that the response is still sent."""
        if self.is_null_session(session):
            return
        if not session.permanent:
            if session.loaded_key:
                self._delete_ended(app, session, response)
            self._save_visitor(app, session, response)
            return
        try:
            super().save_session(app, session, response)
        except DatabaseUnavailable:
            logger.warning("Could not save a session.")
            return
        if session.is_saved and session.modified:
            self._set_binding_cookie(response)
        if session.is_saved and session.loaded_key != self._get_store_id(session.sid):
            self._delete_cookie(response, self._visitor_cookie_name(app))

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

    def _load(self, app: Flask, request: Request, cookie_name: str) -> Session | None:
        sid = request.cookies.get(cookie_name)
        if not sid:
            return None
        key = session_key(app, cookie_name, sid, self._binding())
        data = self._retrieve_session_data(key)
        if data is None:
            return None
        session = Session(data, sid=sid)
        session.loaded_key = key
        return session

    def _binding(self) -> str:
        """Return the value that binds sessions below the root of an HTTPS host to this host.

        It is the random value of a `__Host-` cookie, and is sent to every path of the host. Without
        it, the cookie of the session, which has a path, is worthless: a sibling host may have set
        that cookie. Returns "" where the cookie of the session needs no binding.
        """
        if not (request.is_secure and request.script_root):
            return ""
        if "session_binding" not in g:
            stored = request.cookies.get(BINDING_COOKIE_NAME)
            g.session_binding = stored or secrets.token_urlsafe(32)
        return str(g.session_binding)

    def _set_binding_cookie(self, response: Response) -> None:
        if binding := self._binding():
            response.set_cookie(
                BINDING_COOKIE_NAME,
                binding,
                max_age=SESSION_LIFETIME,
                path="/",
                httponly=True,
                secure=True,
                samesite="Lax",
            )

    def _open_visitor(self, app: Flask, request: Request) -> Session:
        cookie = request.cookies.get(self._visitor_cookie_name(app), "")
        visitor = read_visitor(app, cookie, self._binding(), portal().clock.time())
        session = Session(visitor.items, sid=self._generate_sid(self.sid_length))
        session.modified = visitor.is_aging
        return session

    def _save_visitor(self, app: Flask, session: Session, response: Response) -> None:
        if session.accessed:
            response.vary.add("Cookie")
        if session.modified and session.get(CSRF_FIELD):
            response.set_cookie(
                self._visitor_cookie_name(app),
                sign_visitor(app, session, self._binding(), portal().clock.time()),
                max_age=VISITOR_SECONDS,
                path=self.get_cookie_path(app),
                httponly=True,
                secure=request.is_secure,
                samesite="Lax",
            )
            self._set_binding_cookie(response)

    def _delete_ended(self, app: Flask, session: Session, response: Response) -> None:
        """Delete the session of a person who has signed out."""
        try:
            self.cache.delete(session.loaded_key)
        except DatabaseUnavailable:
            logger.warning("Could not delete a session.")
        self._delete_cookie(response, self.get_cookie_name(app))

    def _delete_cookie(self, response: Response, name: str) -> None:
        if name in request.cookies:
            response.delete_cookie(
                name,
                path=self.get_cookie_path(current_app),
                secure=request.is_secure,
                httponly=True,
                samesite="Lax",
            )

    def _visitor_cookie_name(self, app: Flask) -> str:
        return f"{self.get_cookie_name(app)}-visitor"

    def _get_store_id(self, sid: str) -> str:
        name = self.get_cookie_name(current_app)
        return session_key(current_app, name, sid, self._binding())

    def _upsert_session(
        self,
        session_lifetime: timedelta,  # noqa: ARG002
        session: Any,
        store_id: str,
    ) -> None:
        """Store only what this request has changed, to keep the changes of concurrent requests."""
        is_new = session.loaded_key != store_id
        session.is_saved = self.cache.merge(
            store_id,
            session.changes,
            session.removed_names,
            new_value=session.loaded if is_new else None,
            replaced_key=session.loaded_key if is_new else None,
            timeout=int(_lifetime(session).total_seconds()),
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
    app.session_interface = DatabaseSessionInterface(
        client=DatabaseCache(database), permanent=False
    )


def _are_avatars_public() -> bool:
    """Return whether everybody sees the same avatars, so that their responses need no session."""
    settings = portal().settings
    modes = settings.sign_in
    has_own_credentials = settings.proxy_token_header
    is_same_for_all = portal().twin_access(()).is_unlimited
    return modes.allows_visitors and not has_own_credentials and is_same_for_all


def _lifetime(session: Session) -> timedelta:
    if session.get(VISITOR_FIELD):
        return SESSION_LIFETIME
    if session.get(SIGN_IN_FIELD) or session.get(PROXY_PERSON_FIELD):
        return timedelta(seconds=portal().settings.sign_in_max_age)
    return PREFERENCES_LIFETIME


def session_key(app: Flask, cookie_name: str, sid: str, binding: str = "") -> str:
    """Return the key of the row of a session id.

    An id is valid only under the cookie name it was issued for, and together with its `binding`. An
    id from a cookie that a sibling host can set is worthless in a `__Host-` cookie, and an id from
    a `__Host-` cookie is worthless in any other cookie.
    """
    return keyed_hash(str(app.secret_key), "session", cookie_name, sid, binding)


def claim_idempotency_key(idempotency_key: str) -> bool:
    """Return whether this browser submits the idempotency key for the first time in a day.

    Of concurrent submissions, exactly one gets True.
    """
    cache: DatabaseCache = current_app.session_interface.cache  # type: ignore[attr-defined]
    browser = session.get(CSRF_FIELD, "")
    parts = "idempotency key", browser, idempotency_key
    key = keyed_hash(str(current_app.secret_key), *parts)
    return cache.add(key, value=True, timeout=DAY_SECONDS)


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
