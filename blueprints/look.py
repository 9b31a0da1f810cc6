"""What templates need beside their values: times above all."""

from __future__ import annotations

import math
import time
from datetime import UTC, datetime

from flask import Flask

from blueprints.current import portal


def iso(seconds: float) -> str:
    """Write a time for machines."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def exact(seconds: float) -> str:
    """Write a time for people who want to know it exactly: with its zone."""
    return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(seconds))


def is_today(seconds: float) -> bool:
    """Tell whether a time is of this day, where the server is."""
    return time.localtime(seconds)[:3] == time.localtime()[:3]


def day(seconds: float) -> str:
    """Write a time for people: the hour today, else the day."""
    then, now = time.localtime(seconds), time.localtime()
    if is_today(seconds):
        return time.strftime("%H:%M", then)
    return time.strftime("%-d %B" if then[0] == now[0] else "%-d %B %Y", then)


def wait(seconds: float) -> str:
    """Write a length of time."""
    minutes = round(seconds / 60)
    if seconds < 90:
        return f"{round(seconds)} seconds" if seconds >= 1.5 else "a second"
    return f"{minutes} minutes" if minutes < 90 else f"{round(minutes / 60)} hours"


def clock(seconds: float) -> str:
    """Write a time of the next hour or so: the minute at whose beginning it is over."""
    return time.strftime("%H:%M", time.localtime(seconds + 59))


def seconds_until(until: float | None) -> int:
    """Return how long it is until a time: at most an hour, and 0 when it is over or unknown."""
    return min(3600, max(0, math.ceil(until - time.time()))) if until else 0


def init_app(app: Flask) -> None:
    """Give these to every template."""
    app.template_filter()(iso)
    app.template_filter()(day)
    app.template_filter()(is_today)
    app.template_filter()(exact)
    app.template_filter()(wait)
    app.template_filter()(clock)
    app.template_filter()(zip)
    app.add_template_global(seconds_until)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True

    @app.context_processor
    def names() -> dict[str, object]:
        return {
            "model_note": portal().model_note,
            "limit": portal().settings.message_limit,
        }
