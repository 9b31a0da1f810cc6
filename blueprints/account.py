"""The account of a person: change the password, and list and end the sign-ins."""

from __future__ import annotations

from functools import partial

from flask import Blueprint, abort, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.accounts import (
    MAX_PASSWORD_CHARACTERS,
    MIN_PASSWORD_CHARACTERS,
    AttemptsExceeded,
    UnsuitablePassword,
    WrongCredentials,
)
from twindow.core.languages import N_
from twindow.web.container import portal
from twindow.web.person import sign_in_log
from twindow.web.person.client_address import client_address
from twindow.web.person.current_person import is_from_proxy, signed_in_person
from twindow.web.person.devices import describe_device
from twindow.web.person.password_forms import (
    UNSUITABLE_PASSWORD,
    refuse_attempt,
)
from twindow.web.session.fields import SIGN_IN_FIELD
from twindow.web.session.sign_in import begin_sign_in, browser_token

bp = Blueprint("account", __name__, url_prefix="/session")


@bp.before_request
def _require_sign_ins() -> None:
    if not portal().settings.sign_in.has_sign_ins:
        abort(404)


WRONG_PASSWORD = N_("Your current password is wrong.")


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
            person, password, new_password, client_address(), describe_device(), browser_token()
        )
    except UnsuitablePassword:
        return _render_account(UNSUITABLE_PASSWORD, field="new-password"), 422
    except WrongCredentials:
        sign_in_log.record_refusal("the password is wrong")
        return _render_account(WRONG_PASSWORD, field="password"), 403
    except AttemptsExceeded as error:
        return refuse_attempt(error, partial(_render_account, field="password"))
    begin_sign_in(sign_in)
    return redirect(url_for("account.show", done="password"), 303)


@bp.post("/sign-ins/<sign_in_id>/deletion")
def delete_sign_in(sign_in_id: str) -> BaseResponse:
    """Sign out in another browser."""
    person = signed_in_person() or abort(404)
    if not portal().accounts.sign_ins.end_of_person(sign_in_id, person.id):
        abort(404)
    return redirect(url_for("account.show"), 303)


def _render_account(notice: str = "", retry_at: float | None = None, *, field: str = "") -> str:
    """Render the account; a notice is about a field of the password form."""
    person = signed_in_person() or abort(404)
    return render_template(
        "account/show.html",
        person=person,
        sign_ins=portal().accounts.sign_ins.list_for_person(person.id),
        current_id=session.get(SIGN_IN_FIELD),
        has_password=person.has_password and not is_from_proxy(),
        is_changed=request.args.get("done") == "password",
        min_characters=MIN_PASSWORD_CHARACTERS,
        max_characters=MAX_PASSWORD_CHARACTERS,
        notice=notice,
        retry_at=retry_at,
        field=field,
    )
