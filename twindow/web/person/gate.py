"""The check before each request: a portal that does not allow visitors requires a sign-in."""

from __future__ import annotations

from flask import Flask, current_app, g, redirect, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.accounts import Person, subject_of
from twindow.core.secrets import keyed_hash
from twindow.web.container import portal
from twindow.web.exemptions import needs_sign_in
from twindow.web.http import redirect_page, wants_fragment
from twindow.web.person import sign_in_log
from twindow.web.person.current_person import is_from_proxy, needs_renewal, signed_in_person
from twindow.web.person.return_path import current_page, return_path, sign_in_url
from twindow.web.session.browser_id import was_used_by
from twindow.web.session.fields import SIGN_IN_FIELD, VISITOR_FIELD
from twindow.web.session.sign_in import change_proxy_person, end_sign_in

DRAFT_OWNER_CHARACTERS = 12
MESSAGE_GRACE_SECONDS = 600
MESSAGE_FORMS = ("turns.create", "twins.start_conversation")


def init_app(app: Flask) -> None:
    """Check each request, and let templates know who is signed in."""
    app.before_request(_require_sign_in)
    app.context_processor(_template_values)


def _template_values() -> dict[str, object]:
    # Do not read the database here: the error page for a database failure needs these values.
    person: Person | None = g.get("signed_in_person")
    owner = keyed_hash(str(current_app.secret_key), "draft owner", person.id) if person else ""
    return {
        "signed_in_person": person,
        "may_use_portal": _may_use_portal(person),
        "sign_in_url": sign_in_url,
        "can_sign_out": person is not None and not is_from_proxy(),
        # Scripts use this value to keep separate drafts for people who share a browser.
        "draft_owner": owner[:DRAFT_OWNER_CHARACTERS],
    }


def _may_use_portal(person: Person | None) -> bool:
    # If the proxy reports a name but `person` is None, that person is disabled.
    may_visit = portal().settings.sign_in.allows_visitors and not is_from_proxy()
    return person is not None or may_visit


def _require_sign_in() -> BaseResponse | None:
    """Redirect to the sign-in page; a fragment request gets the header that makes htmx go there."""
    if current_app.session_interface.is_null_session(session):
        return None  # files and health checks need no sign-in
    person = signed_in_person()
    if person and request.endpoint == "session.create" and _is_name_of(person):
        # The person has already signed in, for example in another tab.
        return redirect(return_path(request.form.get("next", "")), 303)
    has_ended = person is None and SIGN_IN_FIELD in session
    if has_ended:
        end_sign_in()
    proxy_person_id = person.id if person and is_from_proxy() else ""
    if not was_used_by(proxy_person_id):
        change_proxy_person(proxy_person_id)
        if person and proxy_person_id:
            portal().accounts.people.record_sign_in(person)
            sign_in_log.record_sign_in(proxy_person_id, "through the proxy")
        if person and VISITOR_FIELD in session and _is_page_view():
            return redirect(url_for("adoption.show", next=current_page()), 303)
    # When a sign-in has ended, show the sign-in page, even if visitors are allowed.
    may_use_portal = _may_use_portal(person) and not has_ended
    is_open = not needs_sign_in(current_app, request.endpoint)
    # Without scripts, the text of a refused message would be lost. The page after it is refused.
    is_plain_message = request.endpoint in MESSAGE_FORMS and not wants_fragment()
    grace_seconds = MESSAGE_GRACE_SECONDS if is_plain_message else 0
    if not is_open and needs_renewal(grace_seconds):
        url = url_for("oidc.new", next=current_page())
        return redirect_page(url) if wants_fragment() else redirect(url, 303)
    if may_use_portal or is_open:
        return None
    if wants_fragment():
        # The page of this request was opened by somebody who was signed in.
        return redirect_page(sign_in_url(has_ended=True))
    return redirect(sign_in_url(has_ended=has_ended), 303)


def _is_name_of(person: Person) -> bool:
    """Return whether the form names this person, or a proxy does."""
    return is_from_proxy() or subject_of(request.form.get("name", "")) == subject_of(person.name)


def _is_page_view() -> bool:
    is_navigation = request.headers.get("Sec-Fetch-Mode", "navigate") == "navigate"
    is_page = request.endpoint not in ("adoption.show", "avatars.show", "exports.show")
    return request.method == "GET" and is_navigation and is_page and not wants_fragment()
