"""How many replies each person follows at once: one browser must not hold all of a process."""

from __future__ import annotations

from collections import Counter

from flask import Flask, Response, current_app

from web.container import person

# Of one person, in one process. A browser follows what it shows, in six tabs or so.
MOST = 24

_EXTENSION = "readers"


def init_app(app: Flask) -> None:
    """Count from now on."""
    app.extensions[_EXTENSION] = Counter[str]()


def is_one_too_many() -> bool:
    """Tell whether the person follows as many replies as one may."""
    readers: Counter[str] = current_app.extensions[_EXTENSION]
    return readers[person()] >= MOST


def counted(response: Response) -> Response:
    """Count an answer that follows a reply, until it is over."""
    readers: Counter[str] = current_app.extensions[_EXTENSION]
    who = person()
    readers[who] += 1

    def over() -> None:
        readers[who] -= 1
        if not readers[who]:
            del readers[who]

    response.call_on_close(over)
    return response
