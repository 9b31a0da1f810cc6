"""What templates need beside their values: a twin's face, and times."""

from __future__ import annotations

import hashlib
import math
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from flask import Flask

from blueprints.current import portal


@dataclass(frozen=True, slots=True)
class Face:
    """A generated picture: two discs on a ground, always the same for the same twin."""

    ground: str
    disc: str
    dot: str
    disc_x: int
    disc_y: int
    dot_x: int
    dot_y: int


def face(twin_id: str) -> Face:
    """Draw a twin's face from its id."""
    seed = hashlib.sha256(f"face 5 of {twin_id}".encode()).digest()
    hue = int.from_bytes(seed[:2]) % 360
    return Face(
        ground=f"hsl({hue} 45% 62%)",
        disc=f"hsl({(hue + 40) % 360} 55% 72%)",
        dot=f"hsl({(hue + 320) % 360} 50% 45%)",
        disc_x=15 + seed[2] % 12,
        disc_y=12 + seed[3] % 10,
        dot_x=25 + seed[4] % 7,
        dot_y=30 + seed[5] % 6,
    )


def iso(seconds: float) -> str:
    """Write a time for machines."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def exact(seconds: float) -> str:
    """Write a time for people who want to know it exactly: with its zone."""
    return time.strftime("%Y-%m-%d %H:%M %Z", time.localtime(seconds))


def day(seconds: float) -> str:
    """Write a time for people: the hour today, else the day."""
    then, now = time.localtime(seconds), time.localtime()
    if then[:3] == now[:3]:
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
    app.template_filter()(face)
    app.template_filter()(iso)
    app.template_filter()(day)
    app.template_filter()(exact)
    app.template_filter()(wait)
    app.template_filter()(clock)
    app.template_filter()(zip)
    app.add_template_global(seconds_until)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True

    @app.context_processor
    def names() -> dict[str, object]:
        return {
            "site_name": portal().settings.site_name,
            "model_note": portal().model_note,
            "limit": portal().settings.message_limit,
        }
