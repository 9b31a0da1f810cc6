"""What a conversation is shown by: its turns, the composer below, and the others at the side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chat.conversations import Conversation
from chat.log.entries import Reply
from chat.quota import MAY_ONLY_READ
from chat.turns import Turn
from rendering.stream.incremental import shown
from web import idempotency_keys
from web.container import person, portal
from web.i18n.formatting import is_today
from web.i18n.locale import gettext
from web.views.date_groups import Group, grouped
from web.views.search_hits import with_hit

TURNS_ON_A_PAGE = 20
SIDE = 20


def log_of(conversation: Conversation, *, before: int | None = None) -> dict[str, Any]:
    """Return what the newest turns of a conversation, or those before a position, are shown by."""
    of_conversation = portal().turns.of_conversation
    if before is not None and not any(
        turn.position >= before for turn in of_conversation(conversation.id, limit=1)
    ):
        before = None  # nothing came later: this is the newest page
    found = of_conversation(conversation.id, before=before, limit=TURNS_ON_A_PAGE + 1)
    page = found[-TURNS_ON_A_PAGE:]
    turns, hit = with_hit(list(zip(page, _replies(page), strict=True)))
    return {
        "conversation": conversation,
        "twin": portal().directory.known(conversation.twin_id),
        "turns": turns,
        "hit": hit,
        "older": page[0].position if len(found) > TURNS_ON_A_PAGE else None,
        "before": before,
        "later": None if before is None else before + TURNS_ON_A_PAGE,
        "key": idempotency_keys.fresh_key(),
    }


def composer_of(conversation: Conversation) -> dict[str, Any]:
    """Return what the composer of a conversation is shown by."""
    shown: dict[str, Any] = {
        "conversation": conversation,
        "key": idempotency_keys.fresh_key(),
    } | outlook()
    if portal().directory.is_gone(conversation.twin_id):
        shown["obstacle"] = gettext(
            "%(twin)s is not available any more. What was said here is kept.",
            twin=conversation.twin_name,
        )
    return shown


def outlook() -> dict[str, Any]:
    """Return what a composer says of the next message before it is written."""
    known = portal().allowance.outlook()
    return {
        "obstacle": "" if known.may_write else MAY_ONLY_READ,
        "until": known.refused_until,
        "few_left": known.few_left,
    }


def side() -> Sequence[Group]:
    """Return the conversations that stand at the side of one, by day."""
    return grouped(portal().conversations.newest(person(), SIDE))


def moves_up(conversation: Conversation) -> bool:
    """Tell whether a conversation comes to stand elsewhere at the side when it goes on."""
    by_day = not conversation.pinned
    if conversation.archived or (by_day and not is_today(conversation.updated_at)):
        return True
    return not portal().conversations.is_newest(conversation)


def _replies(turns: Sequence[Turn]) -> list[Reply]:
    """Fold the replies to turns, in one query for all that are over."""
    log = portal().log
    logs = log.read_all([turn.id for turn in turns])
    return [shown(logs[turn.id], turn.id) for turn in turns]
