"""The newest conversations in the sidebar of every page."""

from __future__ import annotations

from collections.abc import Sequence

from chat.conversations import Conversation
from core.db.database import DatabaseUnavailable
from web.container import portal
from web.i18n import is_today
from web.person.current_person import person
from web.person.twin_access import twin_access
from web.views.date_groups import DateGroup, group_by_date


def sidebar_groups() -> Sequence[DateGroup]:
    """Return the newest conversations of the person, grouped by date.

    Without a database, there are none: an error page with a sidebar must still be displayed.
    """
    if not (person_id := person()):
        return []
    try:
        return group_by_date(portal().conversations.list_recent(person_id, twin_access()))
    except DatabaseUnavailable:
        return []


def moves_in_sidebar(conversation: Conversation, *, was_newest: bool) -> bool:
    """Return whether a new turn has changed the place of a conversation in the sidebar.

    `conversation` is the conversation as it was before the new turn.
    """
    is_grouped_by_date = not conversation.pinned
    return (
        conversation.archived
        or (is_grouped_by_date and not is_today(conversation.updated_at))
        or not was_newest
    )
