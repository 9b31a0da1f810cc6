"""The session of a person: sign in, set or change a password, list the sign-ins, and sign out."""

from __future__ import annotations

import math

from flask import Blueprint, abort, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.accounts import (
    MAX_PASSWORD_CHARACTERS,
    MIN_PASSWORD_CHARACTERS,
    AttemptsExceeded,
    InvalidLink,
    UnsuitablePassword,
    VerificationBusy,
    WrongCredentials,
)
from twindow.core.languages import LANGUAGES, N_
from twindow.web.container import portal
from twindow.web.http import sign_in_not_required
from twindow.web.person import sign_in_log
from twindow.web.person.browser_session import begin_sign_in, browser_token, end_sign_in
from twindow.web.person.client_address import client_address
from twindow.web.person.current_person import is_from_proxy, signed_in_person
from twindow.web.person.devices import describe_device
from twindow.web.person.return_path import return_path
from twindow.web.session_fields import SIGN_IN_FIELD, VISITOR_FIELD

bp = Blueprint("session", __name__, url_prefix="/session")

WRONG_CREDENTIALS = N_("The name or the password is wrong.")
WRONG_PASSWORD = N_("Your current password is wrong.")
UNSUITABLE_PASSWORD = N_("Choose a password of at least %(limit)s characters that isn't your name.")
DISABLED = N_("Your account is disabled. Please contact your administrator.")
ATTEMPTS_EXCEEDED = N_("There were too many attempts to sign in with this name.")
ATTEMPTS_OF_NETWORK_EXCEEDED = N_("There were too many attempts to sign in from your network.")
BUSY = N_("Very many people are signing in.")


@bp.before_request
def _require_form() -> None:
    modes = portal().settings.sign_in
    is_explanation = request.endpoint == "session.new" and modes.has_proxy
    if not (modes.has_passwords or is_explanation):
        abort(404)


@bp.get("/new")
@sign_in_not_required
def new() -> str | BaseResponse:
    """Show the sign-in form, or redirect a signed-in person to the page they came from."""
    next_path = return_path(request.args.get("next", ""))
    if signed_in_person():
        return redirect(next_path, 303)
    return _render_form("", next_path, DISABLED if is_from_proxy() else "")


@bp.post("")
@sign_in_not_required
def create() -> BaseResponse | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Sign in, and return to the requested page."""
    name, next_path = request.form.get("name", ""), return_path(request.form.get("next", ""))
    try:
        sign_in = portal().accounts.sign_in(
            name, request.form.get("password", ""), client_address(), _device(), browser_token()
        )
    except WrongCredentials:
        sign_in_log.record_refusal(sign_in_log.WRONG_CREDENTIALS)
        return _render_form(name, next_path, WRONG_CREDENTIALS), 403
    except AttemptsExceeded as error:
        sign_in_log.record_refusal(sign_in_log.TOO_MANY_ATTEMPTS)
        retry_at = portal().clock.time() + error.wait_seconds
        page = _render_form(name, next_path, attempts_notice(error), retry_at)
        return page, 429, {"Retry-After": str(math.ceil(error.wait_seconds))}
    begin_sign_in(sign_in)
    sign_in_log.record_sign_in(sign_in.person_id, "with a password")
    return _redirect_to(next_path)


def attempts_notice(error: AttemptsExceeded) -> str:
    """Return the sentence that says why an attempt to sign in was refused."""
    if isinstance(error, VerificationBusy):
        return BUSY
    return ATTEMPTS_OF_NETWORK_EXCEEDED if error.is_for_address else ATTEMPTS_EXCEEDED


@bp.get("")
def show() -> str | BaseResponse:
    """Show the account: the browsers in which the person is signed in, and their password."""
    if signed_in_person() is None:
        return redirect(url_for("session.new"), 303)
    return _render_account()


@bp.post("/password")
def change_password() -> BaseResponse | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Change the password, and sign out in all other browsers."""
    person = signed_in_person() or abort(404)
    password, new_password = request.form.get("password", ""), request.form.get("new_password", "")
    try:
        sign_in = portal().accounts.change_password(
            person, password, new_password, client_address(), _device(), browser_token()
        )
    except UnsuitablePassword:
        return _render_account(UNSUITABLE_PASSWORD, field="new-password"), 422
    except WrongCredentials:
        sign_in_log.record_refusal(sign_in_log.WRONG_PASSWORD)
        return _render_account(WRONG_PASSWORD, field="password"), 403
    except AttemptsExceeded as error:
        sign_in_log.record_refusal(sign_in_log.TOO_MANY_ATTEMPTS)
        retry_at = portal().clock.time() + error.wait_seconds
        page = _render_account(attempts_notice(error), retry_at, field="password")
        return page, 429, {"Retry-After": str(math.ceil(error.wait_seconds))}
    begin_sign_in(sign_in)
    return redirect(url_for("session.show", done="password"), 303)


def _render_account(notice: str = "", retry_at: float | None = None, *, field: str = "") -> str:
    """Render the account; a notice is about a field of the password form."""
    person = signed_in_person() or abort(404)
    accounts = portal().accounts
    return render_template(
        "session/show.html",
        person=person,
        sign_ins=accounts.sign_ins.list_for_person(person.id),
        current_id=session.get(SIGN_IN_FIELD),
        has_password=accounts.has_password(person) and not is_from_proxy(),
        is_changed=request.args.get("done") == "password",
        min_characters=MIN_PASSWORD_CHARACTERS,
        max_characters=MAX_PASSWORD_CHARACTERS,
        notice=notice,
        retry_at=retry_at,
        field=field,
    )


@bp.post("/deletion")
@sign_in_not_required
def delete() -> BaseResponse:
    """Sign out in this browser; with `everywhere`, in all of them."""
    if (person := signed_in_person()) and not is_from_proxy():
        if "everywhere" in request.form:
            portal().accounts.sign_ins.end_all(person.id)
        end_sign_in()
    return redirect(url_for("session.new", signed_out=1), 303)


@bp.post("/sign-ins/<sign_in_id>/deletion")
def delete_sign_in(sign_in_id: str) -> BaseResponse:
    """Sign out in another browser."""
    person = signed_in_person() or abort(404)
    if not portal().accounts.sign_ins.end_of_person(sign_in_id, person.id):
        abort(404)
    return redirect(url_for("session.show"), 303)


@bp.get("/links/<token>")
@sign_in_not_required
def show_link(token: str) -> tuple[str, int]:
    """Show the form in which a person sets a password with a one-time link."""
    return _render_link(token)


@bp.post("/links/<token>")
@sign_in_not_required
def use_link(token: str) -> BaseResponse | tuple[str, int]:
    """Set the password, and sign in."""
    password = request.form.get("password", "")
    try:
        sign_in = portal().accounts.use_link(token, password, _device())
    except UnsuitablePassword:
        return _render_link(token, is_rejected=True)
    except InvalidLink:
        return render_invalid_link()
    begin_sign_in(sign_in)
    sign_in_log.record_sign_in(sign_in.person_id, "with a one-time link")
    return _redirect_to(url_for("twins.index"))


def _redirect_to(next_path: str) -> BaseResponse:
    """Redirect to a page, or first to the question about the conversations of the visitor."""
    if VISITOR_FIELD in session:
        return redirect(url_for("adoption.show", next=next_path), 303)
    return redirect(next_path, 303)


def _device() -> str:
    return describe_device(request.user_agent.string)


def _render_form(name: str, next_path: str, notice: str = "", retry_at: float | None = None) -> str:
    return render_template(
        "session/new.html",
        name=name,
        next_path=next_path,
        notice=notice,
        retry_at=retry_at,
        languages=LANGUAGES,
    )


def _render_link(token: str, *, is_rejected: bool = False) -> tuple[str, int]:
    try:
        person = portal().accounts.find_by_link(token)
    except InvalidLink:
        return render_invalid_link()
    page = render_template(
        "session/link.html",
        token=token,
        person=person,
        min_characters=MIN_PASSWORD_CHARACTERS,
        max_characters=MAX_PASSWORD_CHARACTERS,
        rejection=UNSUITABLE_PASSWORD if is_rejected else "",
    )
    return page, 422 if is_rejected else 200


def render_invalid_link() -> tuple[str, int]:
    """Return the page for a one-time link that was used or has expired."""
    return render_template("session/invalid_link.html"), 404
