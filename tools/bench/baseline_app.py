"""The baseline: a minimal htmx page and a plain relay, on the portal's server software."""

from gevent import monkey

from twindow.paths import ROOT

if __name__ == "__main__":
    monkey.patch_all()

import gzip
import os
from collections.abc import Iterator

import requests
from flask import Flask, Response, request

from twindow.core import sse
from twindow.core.server.gunicorn_server import Server
from twindow.core.settings import Settings

SERVICE_URL = os.environ.get("TWINDOW_API_URL", "")
SCRIPT_FILES = sorted((ROOT / "static" / "vendor").glob("*.js"))
# As in htmx's documentation: htmx and its SSE extension, in the head.
DOCUMENTED_SCRIPTS = "".join(f'<script src="/{path.name}"></script>' for path in SCRIPT_FILES)
# All scripts in one file, which does not block rendering.
MINIMAL_SCRIPT = '<script src="/htmx.js" defer></script>'
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Bare</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">{scripts}</head>
<body><h1>Ada</h1><p>Explains how things work.</p>
<form method="post" action="/" hx-post="/"><textarea name="content" aria-label="Message"></textarea>
<button>Send</button></form></body></html>
"""

app = Flask("bare")
script_sources = {path.name: path.read_bytes() for path in SCRIPT_FILES}
script_sources["htmx.js"] = b"\n".join(script_sources.values())
gzipped_scripts = {name: gzip.compress(part, 9) for name, part in script_sources.items()}


@app.get("/")
@app.get("/readyz")
def page() -> str:
    """Show a heading and a form, with the scripts as in htmx's documentation."""
    return PAGE.format(scripts=DOCUMENTED_SCRIPTS)


@app.get("/least")
def minimal_page() -> str:
    """Show the heading and the form, with all scripts in one deferred file."""
    return PAGE.format(scripts=MINIMAL_SCRIPT)


@app.get("/<name>.js")
def script(name: str) -> Response:
    """Return a vendor script of the portal; `htmx.js` contains all of them."""
    headers = {"Content-Encoding": "gzip", "Cache-Control": "max-age=31536000, immutable"}
    return Response(gzipped_scripts[f"{name}.js"], headers=headers, content_type="text/javascript")


@app.get("/relay")
def relay() -> Response:
    """Forward a reply of the service as it arrives."""
    url = f"{SERVICE_URL}/api/v1/conversations/any/messages/stream"
    response = requests.post(url, json=dict(request.args), stream=True, timeout=600)
    return Response(_chunks(response), headers=sse.HEADERS)


def _chunks(response: requests.Response) -> Iterator[bytes]:
    with response:
        while chunk := response.raw.read1(65536):
            yield chunk


def make_app() -> Flask:
    """Return the application, with the methods that the portal's server expects."""
    for name in ("start", "close", "disconnect"):
        setattr(app, name, lambda: None)
    return app


if __name__ == "__main__":
    Server(make_app, Settings(port=int(os.environ["TWINDOW_PORT"]))).run()
