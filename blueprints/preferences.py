"""The preferences page. Styles and scripts read the values from attributes of <html>."""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, abort, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from web.hourly_limits import count_new_session
from web.preferences import PREFERENCE_FIELDS, Preferences, preferences

bp = Blueprint("preferences", __name__, url_prefix="/preferences")


@bp.get("")
def show() -> str:
    """Show the preferences form."""
    return render_template(
        "preferences/show.html",
        fields=PREFERENCE_FIELDS,
        values=asdict(preferences()),
        is_saved="done" in request.args,
    )


@bp.post("")
def update() -> BaseResponse:
    """Store the preferences in the session."""
    if not session.permanent and count_new_session():
        abort(429)
    session["preferences"] = Preferences.from_mapping(request.form).non_defaults
    session.permanent = True
    return redirect(url_for("preferences.show", done="saved"), 303)
