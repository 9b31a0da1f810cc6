"""Formatting of times, durations and excerpts for templates."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

from babel.dates import format_date, format_skeleton, format_time, format_timedelta
from flask import Flask

from twindow.chat.titles import make_title
from twindow.web.container import portal
from twindow.web.i18n.locale import format_locale, gettext
from twindow.web.i18n.timezone import is_timezone_known, to_local_time

MAX_EXCERPT_CHARACTERS = 48
OVERDUE_SECONDS = 15.0


def iso_time(timestamp: float) -> str:
    """Format a time as ISO 8601 in UTC."""
    return datetime.fromtimestamp(timestamp, UTC).isoformat(timespec="seconds")


def exact_time(timestamp: float) -> str:
    """Format a date and time with its time zone."""
    local_time = to_local_time(timestamp)
    date = str(format_date(local_time, "long", format_locale()))
    return _join(date, f"{_short_time(local_time)} {local_time.tzname()}")


def is_today(timestamp: float) -> bool:
    """Return whether a time is today in the reader's time zone."""
    return to_local_time(timestamp).date() == to_local_time(portal().clock.time()).date()


def time_or_date(timestamp: float) -> str:
    """Format a time: the time of day if it is today, else the date."""
    local_time = to_local_time(timestamp)
    if is_today(timestamp):
        return time_of_day(timestamp)
    if local_time.year == to_local_time(portal().clock.time()).year:
        return str(format_skeleton("MMMMd", local_time, locale=format_locale()))
    return str(format_date(local_time, "long", format_locale()))


def day(timestamp: float) -> str:
    """Return the day of a time, such as "Today", "Yesterday" or "Mon, Nov 2"."""
    date, today = to_local_time(timestamp).date(), to_local_time(portal().clock.time()).date()
    if date >= today:
        return gettext("Today")
    if date == today - timedelta(days=1):
        return gettext("Yesterday")
    skeleton = "MMMEd" if date.year == today.year else "yMMMEd"
    return str(format_skeleton(skeleton, date, locale=format_locale()))


def message_time(timestamp: float) -> str:
    """Format the time of a message: the time of day, with the date if it is not today."""
    if is_today(timestamp):
        return time_of_day(timestamp)
    return _join(time_or_date(timestamp), time_of_day(timestamp))


def duration(seconds: float) -> str:
    """Format a duration in one unit, such as "2 hours" for 90 minutes; the minimum is 1 second."""
    delta = timedelta(seconds=max(1, round(seconds)))
    return str(format_timedelta(delta, threshold=1.5, locale=format_locale()))


def ago(seconds: float) -> str:
    """Format the time since an event, such as "2 hours ago": many languages inflect its words."""
    delta = timedelta(seconds=-max(1, round(seconds)))
    locale = format_locale()
    return str(format_timedelta(delta, threshold=1.5, add_direction=True, locale=locale))


def time_of_day(timestamp: float) -> str:
    """Format the time of day, with the time zone if the reader's zone is unknown."""
    local_time = to_local_time(timestamp)
    return (
        _short_time(local_time)
        if is_timezone_known()
        else f"{_short_time(local_time)} {local_time.tzname()}"
    )


def seconds_until(timestamp: float | None) -> int:
    """Return the seconds until a time: at most 3600, and 0 if it has passed or is None."""
    return min(3600, max(0, math.ceil(timestamp - portal().clock.time()))) if timestamp else 0


def excerpt(content: str) -> str:
    """Return the first words of a message, at most `MAX_EXCERPT_CHARACTERS`."""
    return make_title(content, MAX_EXCERPT_CHARACTERS)


def is_overdue(timestamp: float) -> bool:
    """Return whether to report that a reply, pending since `timestamp`, is slow."""
    return portal().clock.time() - timestamp >= OVERDUE_SECONDS


def init_app(app: Flask) -> None:
    """Register the template filters, tests and globals."""
    app.template_filter()(iso_time)
    app.template_filter()(time_or_date)
    app.template_filter()(day)
    app.template_filter()(message_time)
    app.template_filter()(exact_time)
    app.template_filter()(duration)
    app.template_filter()(ago)
    app.template_filter()(time_of_day)
    app.template_filter()(excerpt)
    app.add_template_test(is_overdue, "overdue")
    app.add_template_global(seconds_until)


def _join(date: str, time: str) -> str:
    return str(format_locale().datetime_formats["medium"]).format(time, date)


def _short_time(local_time: datetime) -> str:
    return str(format_time(local_time, "short", local_time.tzinfo, format_locale()))
