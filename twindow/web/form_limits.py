"""Limits of what anybody can create: API keys, sessions, and attempts to sign in."""

from __future__ import annotations

from flask import current_app

from twindow.core.db.counters import HOUR_SECONDS, Limit, LimitReached
from twindow.core.languages import N_
from twindow.core.secrets import keyed_hash
from twindow.web.container import portal
from twindow.web.http.errors import FormLimitReached
from twindow.web.person.client_address import hashed_address
from twindow.web.session.browser_id import read_browser_id

# Requests for API keys per hour, from one browser and from one address.
MAX_KEY_REQUESTS = 30
# New sessions per hour from one address. A visitor who saves preferences before the first message
# gets a new session.
MAX_NEW_SESSIONS = 100

# Attempts to sign in at the provider per hour from one address, which may be that of a company.
MAX_PROVIDER_ATTEMPTS = 3_000

PROVIDER_SCOPE = "provider attempts"
ADDRESS_SCOPE, BROWSER_SCOPE, SESSIONS_SCOPE = "keys of address", "keys of browser", "sessions"
REACHED = {
    PROVIDER_SCOPE: N_("There were too many attempts to sign in from your network."),
    ADDRESS_SCOPE: N_("There were too many requests for API keys from your network."),
    BROWSER_SCOPE: N_("There were too many requests for API keys from your browser."),
    SESSIONS_SCOPE: N_(
        "There were too many new visitors from your network, so your preferences aren't saved."
    ),
}


def count_key_request() -> None:
    """Count a request for an API key. Raises FormLimitReached."""
    limits = [Limit(ADDRESS_SCOPE, hashed_address(), HOUR_SECONDS, MAX_KEY_REQUESTS)]
    if id_ := read_browser_id():
        # The database contains no value of a cookie.
        subject = keyed_hash(str(current_app.secret_key), "browser", id_)
        limits.append(Limit(BROWSER_SCOPE, subject, HOUR_SECONDS, MAX_KEY_REQUESTS))
    _count(limits)


def count_new_session() -> None:
    """Count a new session with preferences. Raises FormLimitReached."""
    limit = Limit(SESSIONS_SCOPE, hashed_address(), HOUR_SECONDS, MAX_NEW_SESSIONS)
    _count([limit])


def count_provider_attempt() -> None:
    """Count an attempt to sign in at the provider. Raises FormLimitReached."""
    _count([Limit(PROVIDER_SCOPE, hashed_address(), HOUR_SECONDS, MAX_PROVIDER_ATTEMPTS)])


def _count(limits: list[Limit]) -> None:
    database = portal().database
    try:
        with database.write() as connection:
            now = database.now(connection)
            portal().counters.count(connection, limits, now)
    except LimitReached as error:
        sentence = REACHED[error.count.limit.scope]
        raise FormLimitReached(sentence, error.count.resets_at - now) from None
