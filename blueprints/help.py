"""How it works, and the keys that it knows."""

from __future__ import annotations

from flask import Blueprint, Response, render_template

from web.http.htmx import render_fragment, wants_fragment

bp = Blueprint("help", __name__, url_prefix="/help")


@bp.get("")
def show() -> Response | str:
    """Show the help page; to a script, the sheet of shortcuts."""
    if wants_fragment():
        return render_fragment("help/_shortcuts_dialog.html")
    return render_template("help/show.html")
