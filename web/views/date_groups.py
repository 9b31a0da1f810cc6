"""Lists by day, as people look for things: what is pinned, today, yesterday, this week, months."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

from babel.dates import format_date, format_skeleton

from chat.conversations import Conversation
from web.container import portal
from web.i18n.locale import current, gettext
from web.i18n.timezone import local

Group = tuple[str, list[Conversation]]


def grouped(conversations: Sequence[Conversation]) -> list[Group]:
    """Put a list, which is in order, under headings."""
    today = local(portal().clock.time()).date()
    return [(name, list(some)) for name, some in groupby(conversations, lambda c: _name(c, today))]


def _name(conversation: Conversation, today: date) -> str:
    then = local(conversation.updated_at).date()
    if conversation.pinned:
        return gettext("Pinned")
    if then >= today:
        return gettext("Today")
    if then == today - timedelta(days=1):
        return gettext("Yesterday")
    if then >= today - timedelta(days=today.weekday()):
        return gettext("This week")
    if then.year == today.year:
        name = str(format_date(then, "LLLL", current()))
    else:
        name = str(format_skeleton("yMMMM", then, locale=current()))
    # A heading, in languages whose months begin small.
    return name[:1].upper() + name[1:]
