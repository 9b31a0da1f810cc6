"""The check that runs before each request: a portal without visitors requires a sign-in."""

from __future__ import annotations

from flask import Flask, Response, current_app, g, redirect, request, session
from werkzeug.wrappers import Response as BaseResponse

from accounts import Person
from core.keyed_hash import keyed_hash
from web.access.browser_session import end_sign_in
from web.access.return_path import sign_in_url
from web.container import portal
from web.current_person import SIGN_IN_FIELD, signed_in_person
from web.http import wants_fragment

# `events.show` ends the stream of a page whose session has ended.
PUBLIC_ENDPOINTS = {
    *("session.new", "session.create", "session.delete", "session.show_link", "session.use_link"),
    *("site.manifest", "site.favicon", "assets.show", "events.show"),
    *("health.live", "health.ready", "health.stream"),
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
        "may_use_portal": person is not None or portal().settings.sign_in.allows_visitors,
        # Scripts keep the drafts of people who share a browser apart.
        "draft_owner": owner[:DRAFT_OWNER_CHARACTERS],
    }


def _require_sign_in() -> BaseResponse | None:
    """Redirect to the sign-in page; a fragment request gets the header that makes htmx go there."""
    person = signed_in_person()
    if session.get(SIGN_IN_FIELD) and person is None:
        end_sign_in()
    may_use_portal = person is not None or portal().settings.sign_in.allows_visitors
    if may_use_portal or request.endpoint in PUBLIC_ENDPOINTS:
        return None
    if wants_fragment():
        return Response(status=204, headers={"HX-Redirect": sign_in_url()})
    return redirect(sign_in_url(), 303)
