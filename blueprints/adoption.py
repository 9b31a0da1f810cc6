"""Ask people who have signed in whether to adopt the conversations that they had as visitors."""

from __future__ import annotations

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.web.container import portal
from twindow.web.person.current_person import signed_in_person
from twindow.web.person.return_path import return_path
from twindow.web.session.fields import DECLINED_FIELD, VISITOR_FIELD

bp = Blueprint("adoption", __name__, url_prefix="/session/adoption")

# Maximum number of people per browser whose refusal is remembered: they are not asked again.
MAX_DECLINED = 20


@bp.get("")
def show() -> str | BaseResponse:
    """Ask once. Nothing is adopted unasked, because several people may use the browser."""
    next_path = return_path(request.args.get("next", ""))
    person, visitor = signed_in_person(), str(session.get(VISITOR_FIELD, ""))
    is_asked = person and visitor and person.id not in session.get(DECLINED_FIELD, ())
    adoptable = portal().adoption.find(visitor) if is_asked else None
    if adoptable is None:
        return redirect(next_path, 303)
    return render_template("adoption/show.html", adoptable=adoptable, next_path=next_path)


@bp.post("")
def create() -> BaseResponse:
    """Adopt the conversations, or leave them to the visitors of this browser."""
    person, visitor = signed_in_person(), str(session.get(VISITOR_FIELD, ""))
    next_path = return_path(request.form.get("next", ""))
    if person is None:
        return redirect(url_for("session.new", next=next_path), 303)
    if visitor and "adopt" in request.form:
        portal().adoption.adopt(visitor, person.id)
        session.pop(VISITOR_FIELD)
    elif visitor:
        declined = [*session.get(DECLINED_FIELD, ()), person.id]
        session[DECLINED_FIELD] = declined[-MAX_DECLINED:]
    return redirect(next_path, 303)
