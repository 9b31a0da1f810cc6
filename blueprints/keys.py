"""API keys: made at the service on the strength of a JWT, and shown once."""

from __future__ import annotations

import re

from flask import Blueprint, render_template, request

from core.languages import N_
from twinapi import TwinApiError, Unauthorized
from web import idempotency_keys, message_form
from web.container import portal
from web.http.session_store import is_first
from web.i18n.locale import gettext
from web.i18n.sentences import number

bp = Blueprint("keys", __name__, url_prefix="/keys")

SCOPES = {"read_only": N_("Read only"), "full_access": N_("Full access")}
MEANS = {
    "read_only": N_("Sees twins and conversations."),
    "full_access": N_("Also begins conversations and sends messages."),
}
HEADER = "Authorization: Bearer …"
MAX_NAME = 100
# Where the service that comes along describes itself.
DOCS = "/api/v1/docs"
# RFC 7519: three parts of base64url. Anything else has no business in a header.
JWT = re.compile(r"[\w-]+\.[\w-]+\.[\w-]*", re.ASCII)

MADE_ALREADY = N_("This form was sent before. If a key came of it, that key is not shown again.")
REFUSED = N_("The service did not accept this JWT: it may be wrong, or have expired.")
SHAPELESS = N_("Paste a JWT: three parts with dots between them.")
NAMELESS = N_("Give the key a name of 1 to %(limit)s characters.")


@bp.get("")
def new() -> str:
    """Show the form that makes a key."""
    return _form("", "read_only")


@bp.post("")
def create() -> str | tuple[str, int]:
    """Make a key and show it, this once."""
    name = request.form.get("name", "").strip()
    scope = request.form.get("scope", "")
    jwt = request.form.get("jwt", "").strip()
    if not name or len(name) > MAX_NAME:
        return _form(name, scope, gettext(NAMELESS, limit=number(MAX_NAME)), "name"), 422
    if scope not in SCOPES:
        return _form(name, "read_only", N_("Choose what the key may do.")), 422
    if not JWT.fullmatch(jwt):
        return _form(name, scope, SHAPELESS, "jwt"), 422
    # A reload must not make another key.
    if not is_first(request.form.get("key", "").replace("\0", "")[: message_form.MAX_KEY]):
        return _form(name, scope, MADE_ALREADY), 409
    try:
        key = portal().client.create_api_key(jwt, name, scope)
    except Unauthorized:
        return _form(name, scope, REFUSED, "jwt"), 403
    except TwinApiError as error:
        return _form(name, scope, error.sentence), 502
    return render_template(
        "keys/created.html", key=key, scope=SCOPES[scope], how=HEADER, docs=_docs()
    )


def _form(name: str, scope: str, notice: str = "", wrong: str = "") -> str:
    """Show the form, with why it was refused and the name of the field that is wrong."""
    return render_template(
        "keys/new.html",
        name=name,
        scope=scope,
        scopes=SCOPES,
        means=MEANS,
        notice=notice,
        wrong=wrong,
        key=idempotency_keys.fresh_key(),
        docs=_docs(),
    )


def _docs() -> str:
    return f"{request.script_root}{DOCS}" if portal().settings.embedded else ""
