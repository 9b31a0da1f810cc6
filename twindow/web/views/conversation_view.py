"""View model of a conversation with its turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import request

from twindow.chat.conversations import Conversation
from twindow.twinapi import Twin
from twindow.web import message_form
from twindow.web.container import portal
from twindow.web.person.twin_permissions import find_cached_twin
from twindow.web.views.search_marks import mark_search_hit
from twindow.web.views.turn_view import TurnView, load_turn_views

TURNS_PER_PAGE = 20


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
    list_turns = portal().turns.list_for_conversation
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


def _parse_position(value: str) -> int:
    return max(1, min(int(value), 2**31 - 1))
