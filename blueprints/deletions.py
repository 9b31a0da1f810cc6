"""Delete a conversation, and bring it back."""

from __future__ import annotations

from flask import Blueprint, abort
from werkzeug.wrappers import Response

from blueprints.conversation_actions import redirect_back
from web import idempotency_keys, rejected_messages
from web.container import own_conversation, person, portal

bp = Blueprint("deletions", __name__, url_prefix="/conversations/<conversation_id>")


@bp.post("/deletion")
def create(conversation_id: str) -> Response:
    """Delete the conversation; the list offers to undo it."""
    conversation = portal().conversations.find(conversation_id, person())
    if not portal().deletions.delete(conversation_id, person()):
        abort(404)
    rejected_messages.discard_draft(conversation_id)
    # Whoever begins with the same words again means another conversation.
    if conversation:
        idempotency_keys.forget_first_message_key(conversation.twin_id)
    return redirect_back(conversation_id, "deleted")


@bp.post("/restoration")
def undo(conversation_id: str) -> Response:
    """Bring the conversation back; whoever does so twice has it back, too."""
    portal().deletions.restore(conversation_id, person())
    conversation = own_conversation(conversation_id)
    return redirect_back(conversation_id, "restored", is_archived=conversation.archived)
