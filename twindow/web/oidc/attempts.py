"""Attempts to sign in at the provider: a row each, until the browser comes back."""

from __future__ import annotations

import secrets
from dataclasses import asdict

from flask import current_app

from twindow.core.secrets import keyed_hash
from twindow.web.form_limits import count_provider_attempt
from twindow.web.oidc.provider import Attempt
from twindow.web.session.browser_id import require_browser_id
from twindow.web.session.interface import session_rows

ATTEMPT_SECONDS = 600


class AttemptUnknown(Exception):
    """Raised for a state that was used, has expired, or belongs to another browser."""


def begin_attempt(next_path: str, *, is_silent: bool = False) -> Attempt:
    """Store a new attempt of this browser. Raises CookiesRefused and FormLimitReached."""
    key = _key_of(state := secrets.token_urlsafe(32))
    count_provider_attempt()
    attempt = Attempt(
        state, secrets.token_urlsafe(32), secrets.token_urlsafe(48), next_path, is_silent
    )
    session_rows().put(key, asdict(attempt), seconds=ATTEMPT_SECONDS)
    return attempt


def take_attempt(state: str) -> Attempt:
    """Return the attempt of this browser with this state, once. Raises AttemptUnknown."""
    row = session_rows().take(_key_of(state))
    if row is None:
        raise AttemptUnknown
    return Attempt(**row)


def keep_id_token(id_token: str) -> None:
    """Keep the encrypted ID token of the sign-in that ends, for the link to the provider."""
    session_rows().put(_logout_key(), {"id_token": id_token}, seconds=ATTEMPT_SECONDS)


def take_id_token() -> str:
    """Return the kept ID token, once; "" if there is none."""
    row = session_rows().take(_logout_key())
    return str(row["id_token"]) if row else ""


def _logout_key() -> str:
    return keyed_hash(str(current_app.secret_key), "sign-out", require_browser_id())


def _key_of(state: str) -> str:
    # The state alone is worthless to another browser.
    return keyed_hash(str(current_app.secret_key), "sign-in attempt", state, require_browser_id())
