"""Warm-up of a new process, so that the first visitors do not wait."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

from flask import Flask
from werkzeug.test import Client

from twindow.web.assets.static_files import AssetMiddleware

Task = Callable[[str], bytes]
# This page calls neither the service nor the database.
WARM_UP_PAGE = "/help"
# Assets that the first pages of a visitor need.
PRECOMPRESSED_ASSETS = (
    "twindow.css",
    "home.css",
    "lists.css",
    "favicon.svg",
    "icons.svg",
    "htmx.js",
    "main.js",
    "conversation.js",
    "sidebar.js",
)


def warm_up(app: Flask, in_thread: Callable[[Task], Task]) -> None:
    """Render a page and compile all templates, then compress assets in the background."""
    Client(app).get(WARM_UP_PAGE)
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
        time.sleep(0)  # let other threads run
    assets: AssetMiddleware = app.extensions["assets"]
    for name in PRECOMPRESSED_ASSETS:
        in_thread(assets[name].compress)("br")  # most browsers accept Brotli
    # Exclude the objects that live as long as the process from further garbage collections: each
    # check of these objects would block the process for 70 ms.
    gc.collect()
    gc.freeze()
