"""One-time links, with which people set their password."""

from __future__ import annotations

from flask import Blueprint, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.accounts import (
    MAX_PASSWORD_CHARACTERS,
    MIN_PASSWORD_CHARACTERS,
    InvalidLink,
    UnsuitablePassword,
)
from twindow.web.container import portal
from twindow.web.exemptions import sign_in_not_required
from twindow.web.person import sign_in_log
from twindow.web.person.devices import describe_device
from twindow.web.person.password_forms import UNSUITABLE_PASSWORD, require_passwords
from twindow.web.person.return_path import return_to
from twindow.web.session.sign_in import begin_sign_in

bp = Blueprint("one_time_links", __name__, url_prefix="/session/links")
bp.before_request(require_passwords)


@bp.errorhandler(InvalidLink)
def show_invalid(_: InvalidLink) -> tuple[str, int]:
    """Show that a link was used or has expired."""
    return render_template("one_time_links/invalid.html"), 404


@bp.get("/<token>")
@sign_in_not_required
def show(token: str) -> str:
    """Show the form in which a person sets a password."""
    return _render_form(token)


@bp.post("/<token>")
@sign_in_not_required
def use(token: str) -> BaseResponse | tuple[str, int]:
    """Set the password, and sign in."""
    password = request.form.get("password", "")
    try:
        sign_in = portal().accounts.use_link(token, password, describe_device())
    except UnsuitablePassword:
        return _render_form(token, UNSUITABLE_PASSWORD), 422
    begin_sign_in(sign_in)
    sign_in_log.record_sign_in(sign_in.person_id, "with a one-time link")
    return return_to(url_for("twins.index"))


def _render_form(token: str, rejection: str = "") -> str:
    return render_template(
        "one_time_links/show.html",
        token=token,
        person=portal().accounts.find_by_link(token),
        min_characters=MIN_PASSWORD_CHARACTERS,
        max_characters=MAX_PASSWORD_CHARACTERS,
        rejection=rejection,
    )
