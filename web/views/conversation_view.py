"""View models of a conversation: its turns, and the sidebar."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import request

from chat.conversations import Conversation
from twinapi import Twin
from web import message_form
from web.container import portal
from web.i18n import is_today
from web.person.current_person import person
from web.person.twin_access import find_cached_twin, twin_access
from web.views.date_groups import DateGroup, group_by_date
from web.views.search_marks import mark_search_hit
from web.views.turn_view import TurnView, load_turn_views

TURNS_PER_PAGE = 20
MAX_SIDEBAR_CONVERSATIONS = 20


@dataclass(frozen=True, slots=True)
class ConversationView:
    """The newest turns of a conversation, or those before a position.

    `twin` is None if the twin is not in the cached list. `older_position` is the position of the
    first turn, or None if no older turns exist. `before` is None for the newest turns.
    """

    conversation: Conversation
    twin: Twin | None
    turns: Sequence[TurnView]
    older_position: int | None
    before: int | None
    idempotency_key: str

    @property
    def newer_position(self) -> int | None:
        """Return the value of `before` for the next newer page; None on the newest page."""
        return None if self.before is None else self.before + TURNS_PER_PAGE


def load_conversation_view(
    conversation: Conversation, *, before: int | None = None
) -> ConversationView:
    """Return the newest turns of a conversation, or those before a position."""
    list_turns = portal().service.turns.list_for_conversation
    if before is not None and not any(
        stored.turn.position >= before for stored in list_turns(conversation.id, limit=1)
    ):
        before = None  # no later turn exists: this is the newest page
    fetched_turns = list_turns(conversation.id, before=before, limit=TURNS_PER_PAGE + 1)
    page_turns = fetched_turns[-TURNS_PER_PAGE:]
    return ConversationView(
        conversation=conversation,
        twin=find_cached_twin(conversation.twin_id),
        turns=mark_search_hit(load_turn_views(page_turns)),
        older_position=page_turns[0].turn.position if len(fetched_turns) > TURNS_PER_PAGE else None,
        before=before,
        idempotency_key=message_form.new_idempotency_key(),
    )


def before_position() -> int | None:
    """Return the position in the query parameter `before`, or None."""
    return request.args.get("before", None, _parse_position)


def sidebar_groups() -> Sequence[DateGroup]:
    """Return the newest conversations of the person for the sidebar, grouped by date."""
    list_first = portal().conversations.list_first
    return group_by_date(list_first(person(), MAX_SIDEBAR_CONVERSATIONS, twin_access()))


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


def _parse_position(value: str) -> int:
    return max(1, min(int(value), 2**31 - 1))
