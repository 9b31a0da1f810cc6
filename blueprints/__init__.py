"""Blueprints, one module per resource. Views read the request, call the domain, and render."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from flask import Flask

__all__ = ["register"]


def register(app: Flask) -> None:
    """Register the blueprint `bp` of each module in this package.

    If a module has a function `init_app`, it is called first.
    """
    for info in pkgutil.iter_modules(__path__):
        module = import_module(f"{__name__}.{info.name}")
        if hasattr(module, "init_app"):
            module.init_app(app)
        app.register_blueprint(module.bp)
