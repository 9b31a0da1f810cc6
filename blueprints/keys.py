"""API keys of the service: created with a JWT, and shown once.

Signed-in people need not enter a JWT if the portal can sign one for the embedded service. They can
also list and revoke their keys.
"""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Sequence
from contextlib import suppress

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from twindow.accounts import Person
from twindow.core.languages import N_
from twindow.core.server.logs import printable_path
from twindow.core.urls import without_credentials
from twindow.twinapi import Conflict, ListedApiKey, NotFound, TwinApiError, Unauthorized
from twindow.web import message_form
from twindow.web.container import portal
from twindow.web.form_limits import count_key_request
from twindow.web.http.errors import FormLimitReached
from twindow.web.i18n import format_number, gettext, service_message
from twindow.web.person.current_person import signed_in_person
from twindow.web.person.sign_in_log import log_action
from twindow.web.session.interface import claim_idempotency_key

bp = Blueprint("keys", __name__, url_prefix="/keys")

SCOPES = {"read_only": N_("Read only"), "full_access": N_("Full access")}
SCOPE_HINTS = {
    "read_only": N_("Read twins, conversations and messages."),
    "full_access": N_("Also start and delete conversations, and send messages."),
}
AUTH_HEADER_EXAMPLE = "Authorization: Bearer …"
MAX_NAME_CHARACTERS = 100
# A JWT has three base64url parts (RFC 7519). Other values are never sent to the service.
JWT_PATTERN = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*", re.ASCII)
# Paths of the embedded service.
API_PATH = "/api/v1"
API_DOCUMENT_PATH = f"{API_PATH}/openapi.json"

ALREADY_SUBMITTED = N_(
    "This form was already submitted. If it created a key, the key can't be shown again."
)
JWT_REJECTED = N_("The twin service didn't accept this JWT. It may be wrong or expired.")
JWT_MALFORMED = N_("That doesn't look like a JWT. It should have three parts separated by dots.")
TOO_MANY_KEYS = N_(
    "You've reached the maximum number of keys. "
    "Keys revoked or expired within the last hour count, too."
)
NAME_INVALID = N_("Enter a name of 1 to %(limit)s characters.")


@bp.get("")
def new() -> str:
    """Show the form that creates a key, and the person's keys if the portal has their JWT."""
    return _render_form("", "read_only")


@bp.post("")
def create() -> str | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Create a key and show it, once."""
    name = request.form.get("name", "").replace("\0", "").strip()
    scope = request.form.get("scope", "")
    jwt = _own_jwt() or request.form.get("jwt", "").strip()
    if not name or len(name) > MAX_NAME_CHARACTERS:
        return _render_form(
            name, scope, gettext(NAME_INVALID, limit=format_number(MAX_NAME_CHARACTERS)), "name"
        ), 422
    if scope not in SCOPES:
        return _render_form(name, "read_only", N_("Choose the permissions of the key.")), 422
    if not JWT_PATTERN.fullmatch(jwt):
        return _render_form(name, scope, JWT_MALFORMED, "jwt"), 422
    try:
        count_key_request()
    except FormLimitReached as error:
        retry_at = portal().clock.time() + error.wait_seconds
        page = _render_form(name, scope, error.sentence, retry_at=retry_at)
        return page, 429, {"Retry-After": str(math.ceil(error.wait_seconds))}
    # Reloading the response must not create another key.
    if not claim_idempotency_key(message_form.submitted_idempotency_key()):
        return _render_form(name, scope, ALREADY_SUBMITTED), 409
    try:
        api_key = portal().client.create_api_key(jwt, name, scope)
    except Unauthorized:
        return _render_form(name, scope, JWT_REJECTED, "jwt"), 403
    except Conflict:
        return _render_form(name, scope, TOO_MANY_KEYS), 409
    except TwinApiError as error:
        return _render_form(name, scope, service_message(error.code, error.params)), 502
    if _has_changed(signed_in_person()):
        # The person was disabled, or their groups changed, while the key was created.
        with suppress(NotFound):  # the change has already revoked the key
            portal().client.revoke_api_key(jwt, api_key.id)
        abort(403)
    key_id = printable_path(api_key.id)
    log_action(signed_in_person(), f"has created the API key {key_id} ({scope})")
    return render_template(
        "keys/created.html",
        name=name,
        key=api_key.key,
        scope=SCOPES[scope],
        header_example=AUTH_HEADER_EXAMPLE,
        curl_command=shlex.join(
            ["curl", "-H", f"Authorization: Bearer {api_key.key}", f"{_api_url()}/twins"]
        ),
        docs_url=_docs_url(),
    )


@bp.post("/<key_id>/revocation")
def revoke(key_id: str) -> Response | tuple[str, int]:
    """Revoke a key of the person."""
    jwt = _own_jwt() or abort(404)
    try:
        portal().client.revoke_api_key(jwt, key_id)
    except NotFound:
        abort(404)
    except TwinApiError as error:
        return _render_form("", "read_only", service_message(error.code, error.params)), 502
    log_action(signed_in_person(), f"has revoked the API key {printable_path(key_id)}")
    return redirect(url_for("keys.new"), 303)


def _own_jwt() -> str:
    """Return a JWT for the person that the portal has signed, or "" if it cannot sign one."""
    person, issuer = signed_in_person(), portal().key_issuer
    return issuer.sign(person.id, person.groups) if person and issuer else ""


def _has_changed(person: Person | None) -> bool:
    """Return whether a person was disabled, or their groups changed, since the request began."""
    if person is None or portal().key_issuer is None:
        return False
    current = portal().accounts.people.find_active(person.id)
    return current is None or current.groups != person.groups


def _list_keys(jwt: str) -> Sequence[ListedApiKey] | None:
    """Return the person's keys; None after an error."""
    try:
        return portal().client.list_api_keys(jwt)
    except TwinApiError:
        return None


def _api_url() -> str:
    """Return the URL of the service, as programs reach it."""
    settings = portal().settings
    if settings.is_embedded:
        root = settings.public_url or request.url_root
        return f"{root.rstrip('/')}{API_PATH}"
    return without_credentials(portal().client.base_url)


def _render_form(
    name: str,
    scope: str,
    notice: str = "",
    invalid_field: str = "",
    retry_at: float | None = None,
) -> str:
    """Render the form, with the reason of a rejection and the name of the invalid field.

    `retry_at` is the time when another key may be requested.
    """
    jwt = _own_jwt()
    return render_template(
        "keys/new.html",
        needs_jwt=not jwt,
        keys=_list_keys(jwt) if jwt else (),
        name=name,
        scope=scope,
        scopes=SCOPES,
        scope_hints=SCOPE_HINTS,
        notice=notice,
        invalid_field=invalid_field,
        retry_at=retry_at,
        docs_url=_docs_url(),
    )


def _docs_url() -> str:
    return f"{request.script_root}{API_DOCUMENT_PATH}" if portal().settings.is_embedded else ""
