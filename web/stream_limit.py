"""How many replies each person follows at once: one browser must not hold all of a process."""

from __future__ import annotations

from collections import Counter

from flask import Flask, Response, current_app

from web.current_person import person

# Of one person, in one process. A browser follows what it shows, in six tabs or so.
MAX_STREAMS_PER_PERSON = 24

_EXTENSION_KEY = "readers"


def init_app(app: Flask) -> None:
    """Count from now on."""
    app.extensions[_EXTENSION_KEY] = Counter[str]()


def is_stream_limit_reached() -> bool:
    """Tell whether the person follows as many replies as one may."""
    stream_counts: Counter[str] = current_app.extensions[_EXTENSION_KEY]
    return stream_counts[person()] >= MAX_STREAMS_PER_PERSON


def count_stream(response: Response) -> Response:
    """Count an answer that follows a reply, until it is over."""
    stream_counts: Counter[str] = current_app.extensions[_EXTENSION_KEY]
    person_id = person()
    stream_counts[person_id] += 1

    def release() -> None:
        stream_counts[person_id] -= 1
        if not stream_counts[person_id]:
            del stream_counts[person_id]

    response.call_on_close(release)
    return response
