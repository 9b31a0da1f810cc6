"""Template values of the message form."""

from __future__ import annotations

from typing import Any

from flask import request

from chat.conversations import Conversation
from chat.quota import KEY_IS_READ_ONLY
from web import message_form, rejected_messages
from web.container import portal
from web.i18n import gettext


def prefilled_composer(conversation: Conversation) -> dict[str, Any]:
    """Return the values of a composer with the message of an edited turn, or a saved draft."""
    view = blank_composer(conversation)
    if content := message_form.edited_turn_content(request.args):
        turn_id = request.args["words_of"]
        saved_draft = rejected_messages.kept(rejected_messages.edit_draft(turn_id))
        return view | {
            "content": saved_draft or content,
            "edited_turn_id": turn_id,
            "is_saved_draft": bool(saved_draft),
        }
    saved_draft = rejected_messages.kept(conversation.id)
    return view | {"content": saved_draft, "is_saved_draft": bool(saved_draft)}


def blank_composer(conversation: Conversation) -> dict[str, Any]:
    """Return the values of an empty composer of a conversation."""
    view: dict[str, Any] = {
        "conversation": conversation,
        "idempotency_key": message_form.new_idempotency_key(),
    } | quota_view()
    if portal().catalogue.is_missing(conversation.twin_id):
        view["blocked_reason"] = gettext(
            "%(twin)s is not available any more. What was said here is kept.",
            twin=conversation.twin_name,
        )
    return view


def quota_view() -> dict[str, Any]:
    """Return the values that tell whether the quota allows another message."""
    quota_status = portal().quota.status()
    return {
        "blocked_reason": "" if quota_status.can_send else KEY_IS_READ_ONLY,
        "retry_at": quota_status.retry_at,
        "low_quota": quota_status.low_quota,
    }
