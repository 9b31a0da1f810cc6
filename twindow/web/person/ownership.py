"""Lookup of conversations and turns through the person who owns them."""

from __future__ import annotations

from flask import abort

from twindow.chat.conversations import Conversation, ConversationNotFound, RecentlyDeleted
from twindow.chat.turns import Turn
from twindow.web.container import portal
from twindow.web.person.current_person import person
from twindow.web.person.twin_permissions import twin_permissions


def own_conversation(conversation_id: str) -> Conversation:
    """Return a conversation of the current person. Raises ConversationNotFound.

    Raises RecentlyDeleted when the person has deleted it and can still restore it.
    """
    if conversation := find_conversation(conversation_id):
        return conversation
    if deleted_conversation := find_deleted_conversation(conversation_id):
        raise RecentlyDeleted(deleted_conversation)
    raise ConversationNotFound


def find_conversation(conversation_id: str) -> Conversation | None:
    """Return the person's conversation, or None if it is missing or they may not use its twin."""
    conversation = portal().conversations.find(conversation_id, person())
    return conversation if conversation and _may_use(conversation.twin_id) else None


def find_deleted_conversation(conversation_id: str) -> Conversation | None:
    """Return a conversation that the current person can restore, or None."""
    conversation = portal().deletions.find(conversation_id, person())
    return conversation if conversation and _may_use(conversation.twin_id) else None


def own_turn(turn_id: str) -> Turn:
    """Return a turn of the current person, or abort with 404."""
    return find_turn(turn_id) or abort(404)


def find_turn(turn_id: str) -> Turn | None:
    """Return the person's turn, or None if it is missing or they may not use its twin."""
    turn = portal().turns.find(turn_id, person()) if turn_id else None
    return turn if turn and _may_use(turn.twin_id) else None


def _may_use(twin_id: str) -> bool:
    return twin_permissions().allows(twin_id)
