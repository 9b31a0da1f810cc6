"""The person who sent the current request, identified by their session."""

from __future__ import annotations

import secrets

from flask import request, session


def person() -> str:
    """Return the id of the person, or "" for a browser without one."""
    return str(session.get("person", ""))


def ensure_person() -> str:
    """Return the id of the person. Assign a new one if the session has none."""
    if "person" not in session:
        session["person"] = secrets.token_urlsafe(16)
    # Sessions that never submit a form expire soon (`VISITOR_LIFETIME`).
    if request.method == "POST":
        session.permanent = True
    return person()
