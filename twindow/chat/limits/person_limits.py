"""Limits of what one person has at the same time: running replies and saved messages."""

from __future__ import annotations

from sqlalchemy import Integer, bindparam, func, select

from twindow.chat.limits.sender import SendingBlocked
from twindow.chat.schema import conversations, turns
from twindow.core.languages import N_

MAX_RUNNING_REPLIES = 10

TOO_MANY_REPLIES = N_("Several replies are still running. Wait for one of them or stop it.")
HISTORY_FULL = N_(
    "You've reached the limit of saved messages. Delete conversations that you no longer need."
)

# A person may have very many turns, but few replies are running. `coalesce` prevents the use of the
# index on `person`, so the query begins with the running turns.
_RUNNING = (
    select(turns.c.id)
    .join(conversations)
    .where(turns.c.worker > "", func.coalesce(conversations.c.person, "") == bindparam("person"))
    .limit(MAX_RUNNING_REPLIES)
)
_SAVED = (
    select(turns.c.id)
    .join(conversations)
    .where(conversations.c.person == bindparam("person"), conversations.c.deleted_at.is_(None))
    .limit(bindparam("history_limit", type_=Integer))
)
# Columns of a query with the parameters `person` and `history_limit`.
RUNNING_COUNT = select(func.count()).select_from(_RUNNING.subquery()).scalar_subquery()
SAVED_COUNT = select(func.count()).select_from(_SAVED.subquery()).scalar_subquery()


def check_person_limits(running_count: int, saved_count: int, history_limit: int) -> None:
    """Check that a person may have another running reply and another saved message.

    Raises SendingBlocked.
    """
    if saved_count >= history_limit:
        raise SendingBlocked(HISTORY_FULL, None)
    if running_count >= MAX_RUNNING_REPLIES:
        raise SendingBlocked(TOO_MANY_REPLIES, None)
