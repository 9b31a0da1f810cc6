"""Blueprints, one module per resource. Views read the request, call the domain, and render."""

from __future__ import annotations

from flask import Flask

from blueprints import (
    adoption,
    avatars,
    conversation_actions,
    conversations,
    events,
    exports,
    health,
    identity_links,
    keys,
    preferences,
    session,
    site,
    turns,
    twins,
)

__all__ = ["register"]


def register(app: Flask) -> None:
    """Register all blueprints."""
    avatars.init_app(app)
    for module in (
        adoption,
        avatars,
        conversation_actions,
        conversations,
        events,
        exports,
        health,
        identity_links,
        keys,
        preferences,
        session,
        site,
        turns,
        twins,
    ):
        app.register_blueprint(module.bp)
