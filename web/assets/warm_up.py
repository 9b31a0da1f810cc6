"""What the first visitors of a process would wait for, done before they come."""

from __future__ import annotations

import time
from collections.abc import Callable

from flask import Flask
from werkzeug.test import Client

from web.assets.static_files import AssetMiddleware

Task = Callable[[str], None]
# A page that asks neither the service nor the database.
WARM_UP_PAGE = "/help"
# What pages ask for first; of the scripts, the one in English: six would cost half a second.
PRECOMPRESSED_ASSETS = ("twindow.css", "lists.css", "twindow.en.js", "favicon.svg")


def warm_up(app: Flask, in_background: Callable[[Task], Task]) -> None:
    """Show a page, compile the templates of others, and compress files beside whatever else is."""
    Client(app).get(WARM_UP_PAGE)
    for name in app.jinja_env.list_templates():
        app.jinja_env.get_template(name)
        time.sleep(0)  # so that others have their turn
    assets: AssetMiddleware = app.extensions["assets"]
    for name in PRECOMPRESSED_ASSETS:
        in_background(assets.precompress)(name)
