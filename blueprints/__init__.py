"""Blueprints, one module per resource. Views read the request, call the domain, and render."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from flask import Flask

__all__ = ["register"]


def register(app: Flask) -> None:
    """Register the blueprint `bp` of each module in this package."""
    for info in pkgutil.iter_modules(__path__):
        app.register_blueprint(import_module(f"{__name__}.{info.name}").bp)
