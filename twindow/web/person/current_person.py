"""The person who sent the current request: signed in, or a visitor known by their session."""

from __future__ import annotations

from flask import current_app, g, session

from twindow.accounts import PROXY_ISSUER, Person
from twindow.core.secrets import keyed_hash
from twindow.web.container import portal
from twindow.web.person.proxy_identity import proxy_groups, proxy_subject
from twindow.web.session.browser_id import require_browser_id
from twindow.web.session.fields import SIGN_IN_FIELD, VISITOR_FIELD


def signed_in_person() -> Person | None:
    """Return who is signed in. The database is read once for each request."""
    if "signed_in_person" not in g:
        g.signed_in_person = _find_signed_in_person()
    person: Person | None = g.signed_in_person
    return person


def is_from_proxy() -> bool:
    """Return whether the proxy says who the person is."""
    return proxy_subject() is not None


def _find_signed_in_person() -> Person | None:
    accounts = portal().accounts
    if subject := proxy_subject():
        person = accounts.people.find_or_add(PROXY_ISSUER, subject, subject)
        if person.is_disabled:
            return None
        groups = proxy_groups()
        return person if groups is None else accounts.people.set_groups(person, groups)
    sign_in_id = session.get(SIGN_IN_FIELD)
    current = accounts.sign_ins.find_person(str(sign_in_id)) if sign_in_id else None
    modes = portal().settings.sign_in
    # The operator may have removed the mode in which the person has signed in.
    is_allowed = current and (modes.has_oidc if current.verified_at else modes.has_passwords)
    return current if is_allowed else None


def needs_renewal(grace_seconds: float = 0) -> bool:
    """Return whether the provider must confirm again who is signed in."""
    current = signed_in_person()
    if current is None or current.verified_at is None:
        return False
    age = portal().clock.time() - current.verified_at
    return age > portal().settings.oidc_max_age + grace_seconds


def person() -> str:
    """Return the id of the person, or "" for a browser without one."""
    current = signed_in_person()
    if current or session.get(SIGN_IN_FIELD) or is_from_proxy():
        return current.id if current else ""
    return str(session.get(VISITOR_FIELD, "")) if portal().settings.sign_in.allows_visitors else ""


def person_of_form(idempotency_key: str) -> str:
    """Return the id of the person. A new visitor gets this id if the form is accepted.

    The id is the same when the form is submitted twice at once. Raises CookiesRefused if the
    browser of a new visitor keeps no cookies.
    """
    return person() or _hash_of_form("person", idempotency_key)[:32]


def remember_person(person_id: str, idempotency_key: str) -> None:
    """Store the id of a new visitor in the session; do nothing for a known person.

    A visitor gets a new session id, so that an attacker who planted the old id cannot read the
    conversation. The new id depends on the form, so that submitting the form twice stores one
    session.
    """
    if signed_in_person() or (session.permanent and person()):
        return
    session[VISITOR_FIELD] = person_id
    session.permanent = True
    session.sid = _hash_of_form("session id", idempotency_key)  # type: ignore[attr-defined]


def _hash_of_form(purpose: str, idempotency_key: str) -> str:
    # An attacker who planted the cookie knows the id of the browser, but not the idempotency key.
    parts = require_browser_id(), idempotency_key
    return keyed_hash(str(current_app.secret_key), purpose, *parts)
