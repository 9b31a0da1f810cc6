"""Decorators of views that need no sign-in or no session. They go below the route."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Flask

View = TypeVar("View", bound=Callable[..., Any])

_SIGN_IN, _SESSION = "needs_sign_in", "needs_session"


def sign_in_not_required(view: View) -> View:
    """Let signed-out people use a view on a portal that does not allow visitors."""
    setattr(view, _SIGN_IN, False)
    return view


def session_not_required(view: View) -> View:
    """Open no session for a view: its response does not depend on the person.

    The path of the view must have no parameters.
    """
    setattr(view, _SESSION, False)
    return view


def needs_sign_in(app: Flask, endpoint: str | None) -> bool:
    """Return whether signed-out people are sent away; True for a path without a view."""
    return bool(getattr(app.view_functions.get(endpoint or ""), _SIGN_IN, True))


def sessionless_paths(app: Flask) -> frozenset[str]:
    """Return the paths of all views that need no session."""
    return frozenset(
        rule.rule
        for rule in app.url_map.iter_rules()
        if not getattr(app.view_functions[rule.endpoint], _SESSION, True)
    )
