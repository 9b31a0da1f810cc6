"""Sign-in with OpenID Connect: the way to the provider, and back."""

from __future__ import annotations

from contextlib import suppress

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.accounts import OIDC_PREFIX, PersonNotFound
from twindow.core.languages import LANGUAGES, N_
from twindow.web.container import portal
from twindow.web.exemptions import session_not_required, sign_in_not_required
from twindow.web.oidc.attempts import AttemptUnknown, begin_attempt, take_attempt, take_id_token
from twindow.web.oidc.identity import SignInRefused, read_identity
from twindow.web.oidc.provider import (
    LEEWAY_SECONDS,
    InvalidResponse,
    Provider,
    ProviderUnavailable,
)
from twindow.web.person import sign_in_log
from twindow.web.person.current_person import needs_renewal, signed_in_person
from twindow.web.person.devices import describe_device
from twindow.web.person.return_path import return_path, return_to
from twindow.web.session.browser_id import (
    CookiesRefused,
    read_browser_id,
    replace_browser_id,
)
from twindow.web.session.sign_in import begin_sign_in, end_sign_in

bp = Blueprint("oidc", __name__, url_prefix="/session/oidc")

UNAVAILABLE = N_("The sign-in service can't be reached. Please try again later.")
NOT_COMPLETED = N_("The sign-in was not completed. Please try again.")
DISABLED = N_("Your account is disabled. Please contact your administrator.")


@bp.get("/new")
@sign_in_not_required
def new() -> BaseResponse | tuple[str, int]:
    """Send the browser to the provider."""
    next_path = return_path(request.args.get("next", ""))
    provider = _provider()
    if request.headers.get("Sec-Fetch-Mode", "navigate") != "navigate":
        abort(403)  # pictures on other sites would use up the attempts of an address
    person = signed_in_person()
    if person and not needs_renewal():
        return redirect(next_path, 303)
    if not read_browser_id():  # this address was opened directly
        replace_browser_id("")
    try:
        attempt = begin_attempt(next_path, is_silent=person is not None)
        return redirect(provider.authorization_url(attempt), 303)
    except (ProviderUnavailable, InvalidResponse) as error:
        return _refuse(UNAVAILABLE, str(error), next_path, status=503)


@bp.get("")
@sign_in_not_required
def callback() -> BaseResponse | tuple[str, int]:
    """Sign in the person whom the provider names, and return to the requested page."""
    provider = _provider()
    try:
        attempt = take_attempt(request.args.get("state", ""))
    except (AttemptUnknown, CookiesRefused):
        if signed_in_person():  # the address was opened twice
            return redirect(url_for("twins.index"), 303)
        sign_in_log.record_stray("A sign-in", "it is unknown, used or of another browser")
        return _render(NOT_COMPLETED, url_for("twins.index")), 403
    code = request.args.get("code", "")
    # RFC 9207: another provider's response must not be taken for one of this provider.
    if not code or request.args.get("iss", provider.issuer) != provider.issuer:
        if attempt.is_silent:  # the provider has to ask the person
            end_sign_in()
            return redirect(url_for("oidc.new", next=attempt.next_path), 303)
        reason = f"the provider says {request.args.get('error', 'nothing')!r:.100}"
        return _refuse(NOT_COMPLETED, reason, attempt.next_path)
    try:
        claims, id_token = provider.redeem(code, attempt)
        identity = read_identity(claims, portal().settings)
    except ProviderUnavailable as error:
        return _refuse(UNAVAILABLE, str(error), attempt.next_path, status=503)
    except InvalidResponse as error:
        return _refuse(NOT_COMPLETED, str(error), attempt.next_path)
    except SignInRefused as error:
        end_sign_in()
        name = _shut_out(provider, str(claims["sub"]))
        return _refuse(error.sentence, f"{name}: {error.reason}", attempt.next_path)
    accounts = portal().accounts
    person = accounts.people.find_or_add(provider.issuer, identity.subject, identity.name)
    if person.is_disabled:
        return _refuse(DISABLED, "the person is disabled", attempt.next_path)
    if identity.groups is not None:
        accounts.people.set_groups(person, identity.groups)
    sid = claims.get("sid")
    sid = sid if isinstance(sid, str) and sid.isprintable() else ""
    sign_in = accounts.begin_sign_in(person, describe_device(), provider_sid=sid, id_token=id_token)
    begin_sign_in(sign_in)
    sign_in_log.record_sign_in(person.id, "with OpenID Connect")
    return return_to(attempt.next_path)


@bp.get("/end")
@sign_in_not_required
def end() -> BaseResponse:
    """Send a person who has signed out here to the provider, to sign out there."""
    provider = _provider()
    try:
        id_token = portal().accounts.decrypt_id_token(take_id_token())
        return redirect(provider.sign_out_url(id_token), 303)
    except (ProviderUnavailable, InvalidResponse, CookiesRefused):
        return redirect(url_for("session.new"), 303)


@bp.post("/logout")
@sign_in_not_required
@session_not_required
def end_from_provider() -> tuple[str, int]:
    """End the sign-ins that the provider has ended (OpenID Connect Back-Channel Logout 1.0)."""
    provider = _provider()
    try:
        logout = provider.read_logout_token(request.form.get("logout_token", ""))
    except (InvalidResponse, ProviderUnavailable) as error:
        sign_in_log.record_stray("A logout", str(error))
        return "", 400 if isinstance(error, InvalidResponse) else 503
    count = portal().accounts.sign_ins.end_at_provider(
        provider.issuer, logout.subject, logout.sid, min_age=logout.age - LEEWAY_SECONDS
    )
    sign_in_log.record_logout(count)
    return "", 200


def _shut_out(provider: Provider, subject: str) -> str:
    """End the sign-ins of a person, and take the groups that the provider has given them.

    Returns the name of the person in commands.
    """
    accounts, name = portal().accounts, f"{OIDC_PREFIX}:{subject}"
    accounts.sign_ins.end_at_provider(provider.issuer, subject)
    if portal().settings.oidc_groups_claim:
        with suppress(PersonNotFound):
            accounts.people.set_groups(accounts.people.find(name), ())
    return name


def _provider() -> Provider:
    return portal().provider or abort(404)


def _refuse(sentence: str, reason: str, next_path: str, *, status: int = 403) -> tuple[str, int]:
    sign_in_log.record_refusal(reason)
    return _render(sentence, next_path), status


def _render(sentence: str, next_path: str) -> str:
    return render_template(
        "session/new.html",
        name="",
        next_path=next_path,
        notice=sentence,
        languages=LANGUAGES,
        is_from_provider=True,
    )
