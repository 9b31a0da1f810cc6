"""The person who sends the current request, identified by the session."""

from __future__ import annotations

import secrets

from flask import request, session


def person() -> str:
    """Return who is asking, "" for a browser that has not said anything yet."""
    return str(session.get("person", ""))


def ensure_person() -> str:
    """Return who is asking. A browser that says something for the first time becomes somebody."""
    if "person" not in session:
        session["person"] = secrets.token_urlsafe(16)
    # Who only looks around is soon forgotten.
    if request.method == "POST":
        session.permanent = True
    return person()
