"""A person's conversations: the list, and one of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from flask import Blueprint, render_template, request

from blueprints import words
from blueprints.current import own_conversation, person, portal
from chat.allowance import MAY_ONLY_READ
from chat.conversations import Conversation
from chat.draft import shown
from chat.entries import Reply
from chat.turns import Turn

bp = Blueprint("conversations", __name__, url_prefix="/conversations")

TURNS_ON_A_PAGE = 20
SIDE = 20


@bp.get("")
def index() -> str:
    """List the person's conversations, newest first."""
    twin_id = request.args.get("twin") or None
    q = request.args.get("q", "").strip()
    page = portal().conversations.of_person(
        person(), twin_id=twin_id, q=q, page=request.args.get("page", 1, int)
    )
    twin = portal().directory.known(twin_id) if twin_id else None
    name = twin.name if twin else next((c.twin_name for c in page.items), twin_id)
    return render_template(
        "conversations/index.html", page=page, twin_id=twin_id, twin_name=name, q=q
    )


@bp.get("/<conversation_id>")
def show(conversation_id: str) -> str:
    """Show a conversation: its newest turns, or those before a position."""
    conversation = own_conversation(conversation_id)
    words.forget_first_key(conversation.twin_id)
    return page_of(conversation)


def page_of(
    conversation: Conversation, *, content: str = "", notice: str = "", until: float | None = None
) -> str:
    """Render the page of a conversation; this asks the service nothing."""
    side = portal().conversations.of_person(person(), twin_id=None, q="", page=1)
    log = log_of(conversation, before=request.args.get("before", None, _position))
    return render_template(
        "conversations/show.html",
        **log | composer_of(conversation) | ({"until": until} if until else {}),
        running=bool(log["turns"]) and log["turns"][-1][1].running,
        look=request.args.get("look", 0, int),
        side=side.items[:SIDE],
        content=content,
        notice=notice,
    )


def log_of(conversation: Conversation, *, before: int | None = None) -> dict[str, Any]:
    """Return what the newest turns of a conversation, or those before a position, are shown by."""
    turns = portal().turns.of_conversation(
        conversation.id, before=before, limit=TURNS_ON_A_PAGE + 1
    )
    shown = turns[-TURNS_ON_A_PAGE:]
    return {
        "conversation": conversation,
        "twin": portal().directory.known(conversation.twin_id),
        "turns": list(zip(shown, replies(shown), strict=True)),
        "older": shown[0].position if len(turns) > TURNS_ON_A_PAGE else None,
        "before": before,
        "key": words.fresh_key(),
    }


def composer_of(conversation: Conversation) -> dict[str, Any]:
    """Return what the composer of a conversation is shown by."""
    return {
        "conversation": conversation,
        "obstacle": _obstacle(conversation),
        "few_left": portal().allowance.few_left(),
        "until": portal().allowance.refused_until(),
        "key": words.fresh_key(),
    }


def _obstacle(conversation: Conversation) -> str:
    """Say why nothing can be said here at the moment, "" if nothing is known against it."""
    if portal().directory.is_gone(conversation.twin_id):
        return f"{conversation.twin_name} is not available any more. What was said here is kept."
    return "" if portal().allowance.may_write() else MAY_ONLY_READ


def _position(value: str) -> int:
    return max(0, min(int(value), 2**31 - 1))


def replies(turns: Sequence[Turn]) -> list[Reply]:
    """Fold the replies to turns, in one query for all that are over."""
    log = portal().log
    stored = log.read_all([turn.id for turn in turns])
    return [shown(stored[turn.id], turn.id) for turn in turns]
