"""What templates need beside their values: times above all."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from babel.dates import format_date, format_skeleton, format_time, format_timedelta
from flask import Flask

from chat.conversations import title_of
from web.assets.minifier import Unindented
from web.container import portal
from web.i18n.locale import current
from web.i18n.timezone import is_known, local

OPENING = 48
STILL_WAITING_SECONDS = 15.0


def iso(seconds: float) -> str:
    """Write a time for machines."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def exact(seconds: float) -> str:
    """Write a time for people who want to know it exactly: with its zone."""
    then = local(seconds)
    return f"{format_date(then, 'long', current())}, {_hour(then)} {then.tzname()}"


def is_today(seconds: float) -> bool:
    """Tell whether a time is of this day, where the reader is."""
    return local(seconds).date() == local(portal().clock.time()).date()


def day(seconds: float) -> str:
    """Write a time for people: the hour today, else the day."""
    then = local(seconds)
    if is_today(seconds):
        return clock(seconds)
    if then.year == local(portal().clock.time()).year:
        return str(format_skeleton("MMMMd", then, locale=current()))
    return str(format_date(then, "long", current()))


def moment(seconds: float) -> str:
    """Write when something was said: the hour, and the day if that is not today."""
    if is_today(seconds):
        return clock(seconds)
    glue = str(current().datetime_formats["medium"])
    return glue.format(clock(seconds), day(seconds))


def wait(seconds: float) -> str:
    """Write a length of time, up to a minute and a half in seconds, and so on."""
    span = timedelta(seconds=max(1, round(seconds)))
    return str(format_timedelta(span, threshold=1.5, locale=current()))


def clock(seconds: float) -> str:
    """Write a time of a day, with its zone where that may not be the reader's."""
    then = local(seconds)
    return _hour(then) if is_known() else f"{_hour(then)} {then.tzname()}"


def seconds_until(until: float | None) -> int:
    """Return how long it is until a time: at most an hour, and 0 when it is over or unknown."""
    return min(3600, max(0, math.ceil(until - portal().clock.time()))) if until else 0


def opening(content: str) -> str:
    """Return the first words of a message."""
    return title_of(content, OPENING)


def is_long_ago(seconds: float) -> bool:
    """Tell whether somebody who has heard nothing since wonders whether anything will come."""
    return portal().clock.time() - seconds >= STILL_WAITING_SECONDS


def init_app(app: Flask) -> None:
    """Give these to every template."""
    app.template_filter()(iso)
    app.template_filter()(day)
    app.template_filter()(is_today)
    app.template_filter()(moment)
    app.template_filter()(exact)
    app.template_filter()(wait)
    app.template_filter()(clock)
    app.template_filter()(opening)
    app.template_filter()(zip)
    app.add_template_test(is_long_ago, "long_ago")
    app.add_template_global(seconds_until)
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.jinja_env.add_extension(Unindented)
    app.jinja_env.policies["ext.i18n.trimmed"] = True

    @app.context_processor
    def names() -> dict[str, object]:
        return {
            "model_note": portal().model_note,
            "limit": portal().settings.message_limit,
        }


def _hour(then: datetime) -> str:
    return str(format_time(then, "short", then.tzinfo, current()))
