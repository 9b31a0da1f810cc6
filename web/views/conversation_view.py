"""Template values of a conversation: its turns and the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chat.conversations import Conversation
from web import message_form
from web.container import portal
from web.current_person import person
from web.i18n import is_today
from web.views.date_groups import DateGroup, group_by_date
from web.views.search_marks import mark_search_hit
from web.views.turn_view import turn_views

TURNS_PER_PAGE = 20
MAX_SIDEBAR_CONVERSATIONS = 20


def turns_view(conversation: Conversation, *, before: int | None = None) -> dict[str, Any]:
    """Return the values of the newest turns of a conversation, or of those before a position."""
    list_turns = portal().turns.list_for_conversation
    if before is not None and not any(
        turn.position >= before for turn in list_turns(conversation.id, limit=1)
    ):
        before = None  # no later turn exists: this is the newest page
    fetched_turns = list_turns(conversation.id, before=before, limit=TURNS_PER_PAGE + 1)
    page_turns = fetched_turns[-TURNS_PER_PAGE:]
    return {
        "conversation": conversation,
        "twin": portal().catalogue.find_cached(conversation.twin_id),
        "turns": mark_search_hit(turn_views(page_turns)),
        "older_position": page_turns[0].position if len(fetched_turns) > TURNS_PER_PAGE else None,
        "before": before,
        "newer_position": None if before is None else before + TURNS_PER_PAGE,
        "idempotency_key": message_form.new_idempotency_key(),
    }


def sidebar_groups() -> Sequence[DateGroup]:
    """Return the newest conversations of the person for the sidebar, grouped by date."""
    return group_by_date(portal().conversations.list_first(person(), MAX_SIDEBAR_CONVERSATIONS))


def will_move_in_sidebar(conversation: Conversation) -> bool:
    """Return whether a new turn changes the place of a conversation in the sidebar."""
    is_grouped_by_date = not conversation.pinned
    if conversation.archived or (is_grouped_by_date and not is_today(conversation.updated_at)):
        return True
    return not portal().conversations.is_newest(conversation)
