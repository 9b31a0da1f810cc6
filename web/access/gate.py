"""The check that runs before each request: a portal without visitors requires a sign-in."""

from __future__ import annotations

from flask import Flask, Response, current_app, g, redirect, request, session
from werkzeug.wrappers import Response as BaseResponse

from accounts import Person
from core.keyed_hash import keyed_hash
from web.access.browser_session import change_owner, end_sign_in
from web.access.return_path import sign_in_url
from web.container import portal
from web.current_person import is_from_proxy, signed_in_person
from web.http import wants_fragment
from web.session_fields import OWNER_FIELD, SIGN_IN_FIELD

# `events.show` ends the stream of a page whose session has ended.
PUBLIC_ENDPOINTS = {
    *("session.new", "session.create", "session.delete", "session.show_link", "session.use_link"),
    *("site.manifest", "site.favicon", "assets.show", "events.show"),
    *("health.live", "health.ready", "health.stream", "health.show_request"),
}
DRAFT_OWNER_CHARACTERS = 12


def init_app(app: Flask) -> None:
    """Check each request, and let templates know who is signed in."""
    app.before_request(_require_sign_in)
    app.context_processor(_template_values)


def _template_values() -> dict[str, object]:
    # Reads no database: the error page for a database failure uses these values, too.
    person: Person | None = g.get("signed_in_person")
    owner = keyed_hash(str(current_app.secret_key), "draft owner", person.id) if person else ""
    return {
        "signed_in_person": person,
        "may_use_portal": _may_use_portal(person),
        "can_sign_out": person is not None and not is_from_proxy(),
        # Scripts keep the drafts of people who share a browser apart.
        "draft_owner": owner[:DRAFT_OWNER_CHARACTERS],
    }


def _may_use_portal(person: Person | None) -> bool:
    # The proxy names a person without an account of theirs only if it is disabled.
    may_visit = portal().settings.sign_in.allows_visitors and not is_from_proxy()
    return person is not None or may_visit


def _require_sign_in() -> BaseResponse | None:
    """Redirect to the sign-in page; a fragment request gets the header that makes htmx go there."""
    if current_app.session_interface.is_null_session(session):
        return None  # files and health checks
    person = signed_in_person()
    if person is None and session.get(SIGN_IN_FIELD):
        end_sign_in()
    owner = person.id if person and is_from_proxy() else ""
    if session.get(OWNER_FIELD, "") != owner:
        change_owner(owner)
    if _may_use_portal(person) or request.endpoint in PUBLIC_ENDPOINTS:
        return None
    if wants_fragment():
        return Response(status=204, headers={"HX-Redirect": sign_in_url()})
    return redirect(sign_in_url(), 303)
