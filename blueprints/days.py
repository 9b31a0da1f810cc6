"""Lists by day, as people look for things: what is pinned, today, yesterday, this week, months."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from itertools import groupby

from chat.conversations import Conversation

Group = tuple[str, list[Conversation]]


def grouped(conversations: Sequence[Conversation]) -> list[Group]:
    """Put a list, which is in order, under headings."""
    today = date.today()
    return [(name, list(some)) for name, some in groupby(conversations, lambda c: _name(c, today))]


def _name(conversation: Conversation, today: date) -> str:
    then = date.fromtimestamp(conversation.updated_at)
    if conversation.pinned:
        return "Pinned"
    if then >= today:
        return "Today"
    if then == today - timedelta(days=1):
        return "Yesterday"
    if then >= today - timedelta(days=today.weekday()):
        return "This week"
    return then.strftime("%B" if then.year == today.year else "%B %Y")
