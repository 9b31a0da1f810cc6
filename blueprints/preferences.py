"""The preferences page. Styles and scripts read the values from attributes of <html>."""

from __future__ import annotations

from dataclasses import asdict

from flask import Blueprint, redirect, render_template, request, session, url_for
from werkzeug.wrappers import Response as BaseResponse

from twindow.web.exemptions import sign_in_not_required
from twindow.web.form_limits import count_new_session
from twindow.web.http import wants_fragment
from twindow.web.person.return_path import current_page, endpoint_of_page
from twindow.web.preferences import Preferences, preferences
from twindow.web.session.browser_id import require_browser_id
from twindow.web.session.fields import PREFERENCES_FIELD

bp = Blueprint("preferences", __name__, url_prefix="/preferences")


@bp.get("")
def show() -> str:
    """Show the preferences form."""
    return render_template(
        "preferences/show.html",
        values=asdict(preferences()),
        is_saved="done" in request.args,
    )


@bp.post("")
@sign_in_not_required
def update() -> str | BaseResponse:
    """Store the submitted preferences in the session; the others stay as they are.

    Scripts submit each change, and apply it.
    """
    if not session.permanent:
        require_browser_id()
        count_new_session()
    submitted = request.form.to_dict()
    if wants_fragment():
        submitted.pop("language", None)  # it has a button, which was not pressed
    after = Preferences.from_mapping(asdict(preferences()) | submitted)
    session[PREFERENCES_FIELD] = after.non_defaults
    session.permanent = True
    if wants_fragment():
        return render_template("preferences/_saved.html")
    page = request.form.get("next") or current_page() or url_for("twins.index")
    return redirect(page if endpoint_of_page(page) else url_for("preferences.show"), 303)
