"""The session of a person: sign in, set a password, list the signed-in browsers, and sign out."""

from __future__ import annotations

import math

from flask import Blueprint, abort, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from accounts import (
    MAX_PASSWORD_CHARACTERS,
    MIN_PASSWORD_CHARACTERS,
    AttemptsExceeded,
    InvalidLink,
    UnsuitablePassword,
    WrongCredentials,
)
from core.languages import N_
from web.access import begin_sign_in, describe_device, end_sign_in, return_path
from web.client_address import client_address
from web.container import portal
from web.current_person import is_from_proxy, signed_in_person
from web.session_fields import SIGN_IN_FIELD, VISITOR_FIELD

bp = Blueprint("session", __name__, url_prefix="/session")

WRONG_CREDENTIALS = N_("The name or the password is wrong.")
DISABLED = N_("Your account is disabled. Please contact your administrator.")
ATTEMPTS_EXCEEDED = N_("There were too many attempts to sign in.")


@bp.before_request
def _require_passwords() -> None:
    modes = portal().settings.sign_in
    is_explanation = request.endpoint == "session.new" and modes.has_proxy
    if not modes.has_passwords and not is_explanation:
        abort(404)


@bp.get("/new")
def new() -> str | BaseResponse:
    """Show the sign-in form, or redirect a signed-in person to the page they came from."""
    next_path = return_path(request.args.get("next", ""))
    if signed_in_person():
        return redirect(next_path, 303)
    return _render_form("", next_path, DISABLED if is_from_proxy() else "")


@bp.post("")
def create() -> BaseResponse | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Sign in, and return to the requested page."""
    name, next_path = request.form.get("name", ""), return_path(request.form.get("next", ""))
    try:
        sign_in = portal().accounts.sign_in(
            name, request.form.get("password", ""), client_address(), _device()
        )
    except WrongCredentials:
        return _render_form(name, next_path, WRONG_CREDENTIALS), 403
    except AttemptsExceeded as error:
        retry_at = portal().clock.time() + error.wait_seconds
        page = _render_form(name, next_path, ATTEMPTS_EXCEEDED, retry_at)
        return page, 429, {"Retry-After": str(math.ceil(error.wait_seconds))}
    begin_sign_in(sign_in)
    return _redirect_to(next_path)


@bp.get("")
def show() -> str | BaseResponse:
    """List the browsers in which the person is signed in."""
    person = signed_in_person()
    if person is None:
        return redirect(url_for("session.new"), 303)
    return render_template(
        "session/show.html",
        person=person,
        sign_ins=portal().accounts.sign_ins.list_for_person(person.id),
        current_id=session.get(SIGN_IN_FIELD),
    )


@bp.post("/deletion")
def delete() -> BaseResponse:
    """Sign out in this browser; with `everywhere`, in all of them."""
    if (person := signed_in_person()) and not is_from_proxy():
        if "everywhere" in request.form:
            portal().accounts.sign_ins.end_all(person.id)
        end_sign_in()
    return redirect(url_for("session.new"), 303)


@bp.post("/sign-ins/<sign_in_id>/deletion")
def delete_sign_in(sign_in_id: str) -> BaseResponse:
    """Sign out in another browser."""
    person = signed_in_person() or abort(404)
    if not portal().accounts.sign_ins.end_of_person(sign_in_id, person.id):
        abort(404)
    return redirect(url_for("session.show"), 303)


@bp.get("/links/<token>")
def show_link(token: str) -> tuple[str, int]:
    """Show the form that sets the password of the person of a one-time link."""
    return _render_link(token)


@bp.post("/links/<token>")
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
        "session/new.html", name=name, next_path=next_path, notice=notice, retry_at=retry_at
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
        is_rejected=is_rejected,
    )
    return page, 422 if is_rejected else 200


def render_invalid_link() -> tuple[str, int]:
    """Return the page for a one-time link that was used or has expired."""
    return render_template("session/invalid_link.html"), 404
