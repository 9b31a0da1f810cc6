"""View model of a conversation with its turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flask import request

from twindow.chat.conversations import Conversation
from twindow.chat.turns import Turn
from twindow.twinapi import Twin
from twindow.web.container import portal
from twindow.web.person.ownership import find_turn
from twindow.web.person.twin_permissions import find_cached_twin
from twindow.web.views.search_marks import mark_search_hit
from twindow.web.views.turn_view import TurnView, load_turn_views

TURNS_PER_PAGE = 20


@dataclass(frozen=True, slots=True)
class ConversationView:
    """The newest turns of a conversation, or those before a slot.

    `twin` is None if the twin is not in the cached list. `older_slot` is the slot of the first
    turn, or None if no older turns exist. `before` is None for the newest turns.
    """

    twin: Twin | None
    turns: Sequence[TurnView]
    older_slot: int | None
    before: int | None
    newest_position: int

    @property
    def followed_turn_id(self) -> str:
        """Return the id of the last turn if the page shows an earlier version of it, else ""."""
        last = self.turns[-1].turn if self.turns and self.before is None else None
        return last.id if last and last.next_id else ""

    @property
    def newer_slot(self) -> int | None:
        """Return the value of `before` for the next newer page; None on the newest page."""
        return None if self.before is None else self.before + TURNS_PER_PAGE


def load_conversation_view(conversation: Conversation) -> ConversationView:
    """Return the newest turns, or those before the slot in the query parameter `before`.

    The query parameter `turn` is the id of a turn that the page shows in its slot.
    """
    before = request.args.get("before", None, _parse_slot)
    list_turns = portal().turns.list_for_conversation
    chosen = _chosen_turn(conversation)
    newest: Turn | None = None
    if chosen or before is not None:
        newest = list_turns(conversation.id, limit=1)[-1].turn
        if chosen:
            is_on_newest_page = chosen.slot > newest.slot - TURNS_PER_PAGE
            before = None if is_on_newest_page else chosen.slot + TURNS_PER_PAGE // 2
        elif before and before > newest.slot:
            before = None  # no later turn exists: this is the newest page
    fetched_turns = list_turns(
        conversation.id, before=before, chosen=chosen, limit=TURNS_PER_PAGE + 1
    )
    page_turns = fetched_turns[-TURNS_PER_PAGE:]
    newest = newest or page_turns[-1].turn
    return ConversationView(
        twin=find_cached_twin(conversation.twin_id),
        turns=mark_search_hit(load_turn_views(page_turns)),
        older_slot=page_turns[0].turn.slot if len(fetched_turns) > TURNS_PER_PAGE else None,
        before=before,
        newest_position=newest.position,
    )


def _chosen_turn(conversation: Conversation) -> Turn | None:
    turn = find_turn(request.args.get("turn", ""))
    return turn if turn and turn.conversation_id == conversation.id else None


def _parse_slot(value: str) -> int:
    return max(1, min(int(value), 2**31 - 1))
