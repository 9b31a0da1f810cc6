"""Lookup of conversations and turns through the person who owns them."""

from __future__ import annotations

from flask import abort

from chat.conversations import Conversation
from chat.turn_rows import Turn
from web.container import portal
from web.current_person import person


class RecentlyDeleted(Exception):
    """Raised for a conversation that its owner has deleted and can still restore."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation.id)
        self.conversation = conversation


def own_conversation(conversation_id: str) -> Conversation:
    """Return a conversation of the current person, or abort with 404.

    Raises RecentlyDeleted when the person has deleted it and can still restore it.
    """
    conversation = portal().conversations.find(conversation_id, person())
    if conversation is None and (
        deleted_conversation := portal().deletions.find(conversation_id, person())
    ):
        raise RecentlyDeleted(deleted_conversation)
    return conversation or abort(404)


def own_turn(turn_id: str) -> Turn:
    """Return a turn of the current person, or abort with 404."""
    return portal().turns.find(turn_id, person()) or abort(404)
