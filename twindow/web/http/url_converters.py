"""URL converters of the portal."""

from __future__ import annotations

from flask import Flask
from werkzeug.routing import BaseConverter


class TwinId(BaseConverter):
    """Match the id of a twin, which may contain any character, including slashes."""

    regex = ".+?"
    part_isolating = False


def init_app(app: Flask) -> None:
    """Register the converters."""
    # Otherwise Werkzeug would redirect ids that begin with a slash or contain two in a row.
    app.url_map.merge_slashes = False
    app.url_map.converters["twin"] = TwinId
