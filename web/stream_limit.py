"""Limit of concurrent reply streams per person, so that one browser cannot occupy a process."""

from __future__ import annotations

from collections import Counter

from flask import Flask, Response, current_app

from web.current_person import person

# Per person and process. A browser follows only the replies it shows, in about six tabs.
MAX_STREAMS_PER_PERSON = 24

_EXTENSION_KEY = "stream_counts"


def init_app(app: Flask) -> None:
    """Create the stream counter of this app."""
    app.extensions[_EXTENSION_KEY] = Counter[str]()


def is_stream_limit_reached() -> bool:
    """Return whether the current person has reached the limit of concurrent streams."""
    stream_counts: Counter[str] = current_app.extensions[_EXTENSION_KEY]
    return stream_counts[person()] >= MAX_STREAMS_PER_PERSON


def count_stream(response: Response) -> Response:
    """Count a streaming response until it is closed."""
    stream_counts: Counter[str] = current_app.extensions[_EXTENSION_KEY]
    person_id = person()
    stream_counts[person_id] += 1

    def release() -> None:
        stream_counts[person_id] -= 1
        if not stream_counts[person_id]:
            del stream_counts[person_id]

    response.call_on_close(release)
    return response
