"""The session of a person: sign in with a name and a password, and sign out."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.accounts import AttemptsExceeded, WrongCredentials
from twindow.core.languages import LANGUAGES, N_
from twindow.web.container import portal
from twindow.web.exemptions import sign_in_not_required
from twindow.web.oidc.attempts import keep_id_token
from twindow.web.person import sign_in_log
from twindow.web.person.client_address import client_address
from twindow.web.person.current_person import is_from_proxy, signed_in_person
from twindow.web.person.devices import describe_device
from twindow.web.person.password_forms import refuse_attempt, require_passwords
from twindow.web.person.return_path import return_path, return_to
from twindow.web.session.fields import SIGN_IN_FIELD
from twindow.web.session.sign_in import begin_sign_in, browser_token, end_sign_in

bp = Blueprint("session", __name__, url_prefix="/session")

WRONG_CREDENTIALS = N_("The name or the password is wrong.")
DISABLED = N_("Your account is disabled. Please contact your administrator.")


@bp.before_request
def _require_form() -> None:
    modes = portal().settings.sign_in
    is_page = request.endpoint == "session.new" and modes.has_proxy
    is_for_provider = request.endpoint != "session.create" and modes.has_oidc
    if not (is_page or is_for_provider):
        require_passwords()


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
    password = request.form.get("password", "")
    try:
        sign_in = portal().accounts.sign_in(
            name, password, client_address(), describe_device(), browser_token()
        )
    except WrongCredentials:
        sign_in_log.record_refusal("the name or the password is wrong")
        return _render_form(name, next_path, WRONG_CREDENTIALS), 403
    except AttemptsExceeded as error:
        return refuse_attempt(error, partial(_render_form, name, next_path))
    begin_sign_in(sign_in)
    sign_in_log.record_sign_in(sign_in.person_id, "with a password")
    return return_to(next_path)


@bp.post("/deletion")
@sign_in_not_required
def delete() -> BaseResponse:
    """Sign out in this browser; with `everywhere`, in all of them."""
    if (person := signed_in_person()) and not is_from_proxy():
        if person.verified_at:
            keep_id_token(portal().accounts.sign_ins.id_token_of(session[SIGN_IN_FIELD]))
        if "everywhere" in request.form:
            portal().accounts.sign_ins.end_all(person.id)
        end_sign_in()
    return redirect(url_for("session.new", signed_out=1), 303)


def _render_form(name: str, next_path: str, notice: str = "", retry_at: float | None = None) -> str:
    provider = portal().provider
    return render_template(
        "session/new.html",
        name=name,
        next_path=next_path,
        notice=notice,
        retry_at=retry_at,
        languages=LANGUAGES,
        can_sign_out_there=bool(provider and provider.can_sign_out),
    )
