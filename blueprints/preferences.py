"""The preferences page. Styles and scripts read the values from attributes of <html>."""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.web.exemptions import sign_in_not_required
from twindow.web.form_limits import count_new_session
from twindow.web.http import redirect_page, wants_fragment
from twindow.web.person.return_path import return_path
from twindow.web.preferences import PREFERENCE_FIELDS, Preferences, preferences
from twindow.web.session.browser_id import require_browser_id
from twindow.web.session.fields import PREFERENCES_FIELD

bp = Blueprint("preferences", __name__, url_prefix="/preferences")


@bp.get("")
def show() -> str:
    """Show the preferences form. The focus is on the field that was changed with a script."""
    return render_template(
        "preferences/show.html",
        fields=PREFERENCE_FIELDS,
        values=asdict(preferences()),
        is_saved="done" in request.args,
        changed=request.args.get("changed"),
    )


@bp.post("")
@sign_in_not_required
def update() -> BaseResponse:
    """Store the submitted preferences in the session; the others stay as they are.

    Only scripts submit the form for each change; they load the page again, which applies it.
    """
    if not session.permanent:
        require_browser_id()
        count_new_session()
    before = asdict(preferences())
    submitted = request.form.to_dict()
    if wants_fragment() and "saves" not in submitted:
        submitted.pop("language", None)  # it has a button, which was not pressed
    after = Preferences.from_mapping(before | submitted)
    session[PREFERENCES_FIELD] = after.non_defaults
    session.permanent = True
    if "next" in request.form:
        return redirect(return_path(request.form["next"]), 303)
    if not wants_fragment():
        return redirect(url_for("preferences.show", done="saved"), 303)
    changed = next((name for name, value in asdict(after).items() if value != before[name]), None)
    location = url_for("preferences.show", done="saved", changed=changed)
    return redirect_page(location)
