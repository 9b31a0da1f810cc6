"""What a conversation is shown by: its turns, the composer below, and the others at the side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chat.conversations import Conversation
from chat.log.entries import Reply
from chat.quota import KEY_IS_READ_ONLY
from chat.turns import Turn
from rendering.stream.incremental import shown
from web import idempotency_keys
from web.container import person, portal
from web.i18n.formatting import is_today
from web.i18n.locale import gettext
from web.views.date_groups import DateGroup, group_by_date
from web.views.search_hits import mark_search_hit

TURNS_PER_PAGE = 20
MAX_SIDEBAR_CONVERSATIONS = 20


def log_view(conversation: Conversation, *, before: int | None = None) -> dict[str, Any]:
    """Return what the newest turns of a conversation, or those before a position, are shown by."""
    list_turns = portal().turns.list_for_conversation
    if before is not None and not any(
        turn.position >= before for turn in list_turns(conversation.id, limit=1)
    ):
        before = None  # nothing came later: this is the newest page
    fetched_turns = list_turns(conversation.id, before=before, limit=TURNS_PER_PAGE + 1)
    page_turns = fetched_turns[-TURNS_PER_PAGE:]
    turns, hit = mark_search_hit(list(zip(page_turns, _read_replies(page_turns), strict=True)))
    return {
        "conversation": conversation,
        "twin": portal().catalogue.find_cached(conversation.twin_id),
        "turns": turns,
        "hit": hit,
        "older": page_turns[0].position if len(fetched_turns) > TURNS_PER_PAGE else None,
        "before": before,
        "later": None if before is None else before + TURNS_PER_PAGE,
        "key": idempotency_keys.new_idempotency_key(),
    }


def blank_composer(conversation: Conversation) -> dict[str, Any]:
    """Return what the composer of a conversation is shown by."""
    view: dict[str, Any] = {
        "conversation": conversation,
        "key": idempotency_keys.new_idempotency_key(),
    } | quota_view()
    if portal().catalogue.is_missing(conversation.twin_id):
        view["obstacle"] = gettext(
            "%(twin)s is not available any more. What was said here is kept.",
            twin=conversation.twin_name,
        )
    return view


def quota_view() -> dict[str, Any]:
    """Return what a composer says of the next message before it is written."""
    quota_status = portal().quota.status()
    return {
        "obstacle": "" if quota_status.can_write else KEY_IS_READ_ONLY,
        "until": quota_status.retry_at,
        "few_left": quota_status.low_quota,
    }


def sidebar_groups() -> Sequence[DateGroup]:
    """Return the conversations that stand at the side of one, by day."""
    return group_by_date(portal().conversations.list_first(person(), MAX_SIDEBAR_CONVERSATIONS))


def will_move_in_sidebar(conversation: Conversation) -> bool:
    """Tell whether a conversation comes to stand elsewhere at the side when it goes on."""
    is_grouped_by_date = not conversation.pinned
    if conversation.archived or (is_grouped_by_date and not is_today(conversation.updated_at)):
        return True
    return not portal().conversations.is_newest(conversation)


def _read_replies(turns: Sequence[Turn]) -> list[Reply]:
    """Fold the replies to turns, in one query for all that are over."""
    log = portal().log
    logs = log.read_all([turn.id for turn in turns])
    return [shown(logs[turn.id], turn.id) for turn in turns]
