"""One-time links that join an account with a password and the name that the proxy reports."""

from __future__ import annotations

import math

from flask import Blueprint, abort, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as BaseResponse

from accounts import AttemptsExceeded, InvalidLink, WrongCredentials
from blueprints.session import attempts_notice, render_invalid_link
from chat.adoption import move_conversations
from core.languages import N_
from web.container import portal
from web.person import sign_in_log
from web.person.browser_session import browser_token
from web.person.client_address import client_address
from web.person.current_person import is_from_proxy, signed_in_person
from web.person.proxy_identity import proxy_subject

bp = Blueprint("identity_links", __name__, url_prefix="/session/identity")

WRONG_PASSWORD = N_("The password is wrong.")


@bp.before_request
def _require_proxy() -> None:
    if not (signed_in_person() and is_from_proxy()):
        abort(404)


@bp.get("/<token>")
def show(token: str) -> str | tuple[str, int]:
    """Ask for the password of the account: people link only accounts that are theirs."""
    try:
        return _render_form(token)
    except InvalidLink:
        return render_invalid_link()


@bp.post("/<token>")
def create(token: str) -> BaseResponse | tuple[str, int] | tuple[str, int, dict[str, str]]:
    """Link the proxy's name to the account, and move the conversations of its previous owner."""
    try:
        portal().accounts.link_identity(
            token,
            request.form.get("password", ""),
            client_address(),
            browser_token(),
            proxy_subject() or "",
            on_link=move_conversations,
        )
    except InvalidLink:
        return render_invalid_link()
    except WrongCredentials:
        sign_in_log.record_refusal(sign_in_log.WRONG_PASSWORD)
        return _render_form(token, WRONG_PASSWORD), 403
    except AttemptsExceeded as error:
        sign_in_log.record_refusal(sign_in_log.TOO_MANY_ATTEMPTS)
        retry_at = portal().clock.time() + error.wait_seconds
        page = _render_form(token, attempts_notice(error), retry_at)
        return page, 429, {"Retry-After": str(math.ceil(error.wait_seconds))}
    return redirect(url_for("conversations.index"), 303)


def _render_form(token: str, notice: str = "", retry_at: float | None = None) -> str:
    """Render the form. Raises InvalidLink."""
    return render_template(
        "session/identity.html",
        token=token,
        account=portal().accounts.find_by_link(token, "identity"),
        notice=notice,
        retry_at=retry_at,
    )
