"""Grouping of conversations: pinned, today, yesterday, this week, then by month."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import TypeVar

from babel.dates import format_date, format_skeleton

from twindow.chat.conversations import Conversation
from twindow.web.container import portal
from twindow.web.i18n import format_locale, gettext, to_local_time

C = TypeVar("C", bound=Conversation)
DateGroup = tuple[str, list[C]]


def group_by_date(conversations: Sequence[C]) -> list[DateGroup[C]]:
    """Group a sorted list under translated headings."""
    today = to_local_time(portal().clock.time()).date()
    headings: dict[date, str] = {}

    def heading(conversation: Conversation) -> str:
        if conversation.pinned:
            return gettext("Pinned")
        updated_on = to_local_time(conversation.updated_at).date()
        if updated_on not in headings:
            headings[updated_on] = _heading(updated_on, today)
        return headings[updated_on]

    return [(title, list(members)) for title, members in groupby(conversations, heading)]


def _heading(updated_on: date, today: date) -> str:
    if updated_on >= today:
        return gettext("Today")
    if updated_on == today - timedelta(days=1):
        return gettext("Yesterday")
    if updated_on >= today - timedelta(days=(today.weekday() - format_locale().first_week_day) % 7):
        return gettext("This week")
    if updated_on.year == today.year:
        heading = str(format_date(updated_on, "LLLL", format_locale()))
    else:
        heading = str(format_skeleton("yMMMM", updated_on, locale=format_locale()))
    # Some languages write months in lower case; a heading begins with a capital.
    return heading[:1].upper() + heading[1:]
