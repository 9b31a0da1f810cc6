"""Limits of concurrent streams, so that no browser and no address can occupy a process."""

from __future__ import annotations

from collections import Counter

from flask import Flask, Response, current_app

from twindow.core.server.descriptors import max_connections
from twindow.web.container import portal
from twindow.web.person.client_address import client_address
from twindow.web.person.current_person import person

# Limit per person and process. A browser opens about six connections, and streams only visible
# replies.
MAX_STREAMS_PER_PERSON = 24

_EXTENSION_KEY = "stream_counts"


def init_app(app: Flask) -> None:
    """Create the stream counter of this app."""
    # A whole company may share one address. This limit leaves half of the connections to others.
    app.config["MAX_STREAMS_PER_ADDRESS"] = max_connections() // 2
    app.extensions[_EXTENSION_KEY] = Counter[str]()


def is_stream_limit_reached() -> bool:
    """Return whether the current person or their address may open no more streams."""
    stream_counts: Counter[str] = current_app.extensions[_EXTENSION_KEY]
    address_limit: int = current_app.config["MAX_STREAMS_PER_ADDRESS"]
    return (
        stream_counts[_person_key()] >= MAX_STREAMS_PER_PERSON
        or stream_counts[_address_key()] >= address_limit
    )


def count_stream(response: Response) -> Response:
    """Count a streaming response until it is closed."""
    stream_counts: Counter[str] = current_app.extensions[_EXTENSION_KEY]
    keys = _person_key(), _address_key()
    stream_counts.update(keys)
    metrics = portal().metrics
    metrics.set("streams_open", stream_counts.total() / len(keys))

    def release() -> None:
        stream_counts.subtract(keys)
        for key in keys:
            if not stream_counts[key]:
                del stream_counts[key]
        metrics.set("streams_open", stream_counts.total() / len(keys))

    response.call_on_close(release)
    return response


def _person_key() -> str:
    return f"person {person()}"


def _address_key() -> str:
    return f"address {client_address()}"
