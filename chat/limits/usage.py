"""Usage: how many messages were sent in each hour and day (UTC), and the operator's limits of them.

Windows are fixed, so twice the limit is possible across a boundary. The rows of a person are
always written, because they are the lock of this person's messages. Rows that people share are
written only if they have a limit: messages to different twins must not wait for each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    Insert,
    and_,
    bindparam,
    delete,
    not_,
    or_,
    select,
    tuple_,
)

from chat.schema import usage
from core.db.database import Database, dialect_insert
from core.languages import N_
from core.settings import LimitPeriod, LimitScope, MessageLimits

HOUR_SECONDS, DAY_SECONDS = 3600, 86_400
# How long rows are kept. Days of visitors are kept as short as hours.
HOURS_KEPT_SECONDS = 2 * DAY_SECONDS
DAYS_KEPT_SECONDS = 400 * DAY_SECONDS
# A transaction of SQLite blocks all greenlets.
DELETED_ROWS_PER_TRANSACTION = 500
DELETION_PAUSE_SECONDS = 0.01
# The scope of the rows of people without a sign-in; the limits of people apply to them.
VISITOR = "visitor"

REACHED = {
    "person": N_("You've reached your message limit."),
    "address": N_("Your network has reached its message limit."),
    "twin": N_("This twin has reached its message limit."),
    "site": N_("This portal has reached its message limit."),
}


class SendingBlocked(Exception):
    """Raised when no message can be sent at the moment.

    `retry_at` is when to try again, in seconds since 1970, or None if unknown.
    """

    def __init__(self, sentence: str, retry_at: float | None) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.retry_at = retry_at


@dataclass(frozen=True, slots=True)
class Sender:
    """Who sends a message, and to which twin.

    `visitor_address` is None for a person who is signed in. For a visitor, it is a keyed hash of
    the address and the day.
    """

    person: str
    twin_id: str
    visitor_address: str | None = None


@dataclass(frozen=True, slots=True)
class UsageCount:
    """The messages of one subject in one window, and their limit, if there is one.

    `resets_at` is the end of the window by the clock of the database, in seconds since 1970.
    """

    rule: LimitScope
    scope: str
    subject: str
    window: str
    limit: int | None
    resets_at: float
    used: int = 0


class Usage:
    """Counts of messages in the database, and the limits of the operator."""

    def __init__(self, database: Database, limits: MessageLimits) -> None:
        self.database = database
        self._limits = limits

    def count_message(
        self, connection: Connection, sender: Sender, now: float
    ) -> Sequence[UsageCount]:
        """Count one message of the sender, and return the counts that include it.

        Raises SendingBlocked if the message would exceed a limit. The caller must then roll back
        its transaction.
        """
        counts = self._counts(sender, now)
        statement = _count_statement(
            connection.dialect.name, tuple(count.limit for count in counts)
        )
        used = _used(connection.execute(statement, _parameters(counts)))
        counted = _with_used(counts, used)
        # The statement skips the rows that have reached their limit.
        if reached := [count for count in counted if (count.scope, count.window) not in used]:
            last = max(reached, key=lambda count: count.resets_at)
            retry_at = self.database.to_local_time(last.resets_at, now)
            raise SendingBlocked(REACHED[last.rule], retry_at)
        return counted

    def read(self, connection: Connection, sender: Sender, now: float) -> Sequence[UsageCount]:
        """Return the counts of the sender that have limits."""
        counts = [count for count in self._counts(sender, now) if count.limit]
        if not counts:
            return ()
        keys = [(count.scope, count.subject, count.window) for count in counts]
        return _with_used(counts, _used(connection.execute(_SELECT_USED, {"keys": keys})))

    def _counts(self, sender: Sender, now: float) -> Sequence[UsageCount]:
        """Return the rows that a message changes, in the order in which it locks them."""
        subjects: list[tuple[LimitScope, str, str]] = [("person", "person", sender.person)]
        if sender.visitor_address is not None:
            subjects = [
                ("person", VISITOR, sender.person),
                ("address", "address", sender.visitor_address),
            ]
        subjects += [("twin", "twin", sender.twin_id), ("site", "site", "")]
        periods: list[tuple[LimitPeriod, str, int]] = [
            ("hour", "%Y-%m-%dT%H", HOUR_SECONDS),
            ("day", "%Y-%m-%d", DAY_SECONDS),
        ]
        counts: list[UsageCount] = []
        for rule, scope, subject in subjects:
            for period, window_format, seconds in periods:
                limit = self._limits.count(rule, period)
                if rule != "person" and not limit:
                    continue
                window = _format_time(now, window_format)
                resets_at = now - now % seconds + seconds
                counts.append(UsageCount(rule, scope, subject, window, limit, resets_at))
        return counts


def delete_usage_of(connection: Connection, person: str) -> None:
    """Delete what is stored of the messages that a person has sent."""
    connection.execute(
        delete(usage).where(usage.c.scope.in_(("person", "visitor")), usage.c.subject == person)
    )


def delete_expired_usage(database: Database) -> None:
    """Delete the rows that are no longer needed.

    Short transactions with pauses let other requests continue.
    """
    key = tuple_(*usage.primary_key)
    while True:
        with database.read() as connection:
            is_expired = _is_expired(database.now(connection))
            query = select(*usage.primary_key).where(is_expired)
            rows = connection.execute(query.limit(DELETED_ROWS_PER_TRANSACTION)).all()
        if not rows:
            return
        with database.write() as connection:
            connection.execute(delete(usage).where(key.in_([tuple(row) for row in rows])))
        database.clock.sleep(DELETION_PAUSE_SECONDS)


_SELECT_USED = select(usage.c.scope, usage.c.window, usage.c.used).where(
    tuple_(usage.c.scope, usage.c.subject, usage.c.window).in_(bindparam("keys", expanding=True))
)


@cache
def _count_statement(dialect: str, limits: tuple[int | None, ...]) -> Insert:
    """Return the statement that counts a message in several rows, unless a row is at its limit."""
    rows: list[dict[str, Any]] = []
    at_limit: list[ColumnElement[bool]] = []
    for number, limit in enumerate(limits):
        row: dict[str, Any] = {
            name: bindparam(f"{name}{number}") for name in ("scope", "subject", "window")
        }
        rows.append({**row, "used": 1})
        if limit is not None:
            is_row = and_(usage.c.scope == row["scope"], usage.c.window == row["window"])
            at_limit.append(and_(is_row, usage.c.used >= limit))
    insert = dialect_insert(dialect, usage).values(rows)
    statement: Insert = insert.on_conflict_do_update(
        index_elements=[*usage.primary_key],
        set_={"used": usage.c.used + 1},
        where=not_(or_(*at_limit)) if at_limit else None,
    ).returning(usage.c.scope, usage.c.window, usage.c.used)
    return statement


def _parameters(counts: Sequence[UsageCount]) -> dict[str, str]:
    return {
        f"{name}{number}": getattr(count, name)
        for number, count in enumerate(counts)
        for name in ("scope", "subject", "window")
    }


def _used(rows: Any) -> Mapping[tuple[str, str], int]:
    return {(scope, window): used for scope, window, used in rows}


def _with_used(
    counts: Sequence[UsageCount], used: Mapping[tuple[str, str], int]
) -> Sequence[UsageCount]:
    return [replace(count, used=used.get((count.scope, count.window), 0)) for count in counts]


def _format_time(at: float, window_format: str) -> str:
    return datetime.fromtimestamp(at, UTC).strftime(window_format)


def _is_expired(now: float) -> ColumnElement[bool]:
    is_hour = usage.c.window.like("%T%")
    this_hour, today = _format_time(now, "%Y-%m-%dT%H"), _format_time(now, "%Y-%m-%d")
    kept_since = _format_time(now - HOURS_KEPT_SECONDS, "%Y-%m-%dT%H")
    days_kept_since = _format_time(now - DAYS_KEPT_SECONDS, "%Y-%m-%d")
    return or_(
        and_(usage.c.scope == "address", is_hour, usage.c.window < this_hour),
        and_(usage.c.scope == "address", usage.c.window < today),
        and_(is_hour, usage.c.window < kept_since),
        and_(usage.c.scope == VISITOR, usage.c.window < kept_since),
        usage.c.window < days_kept_since,
    )
