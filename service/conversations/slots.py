"""Slots of the model, stored in the database and shared by all processes that use it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace

from sqlalchemy import (
    ColumnElement,
    Connection,
    Float,
    cast,
    delete,
    extract,
    func,
    insert,
    literal,
    select,
    update,
)

from core.database import Database, insert_or_ignore
from service.conversations.leases import LEASE_SECONDS
from service.conversations.queue_order import QueueEntry, next_in, standing_for
from service.schema import queue_entries

Found = list[tuple[QueueEntry, bool]]


class QueueSlots:
    """Assign `count` slots to queue entries. Releasing a slot assigns it to the next entry at once.

    Entries of a dead process are removed when their lease expires.
    """

    lease_seconds = LEASE_SECONDS

    def __init__(self, database: Database, count: int) -> None:
        self.database = database
        self.count = count
        self._mine: dict[int, QueueEntry] = {}

    @property
    def has_local_entries(self) -> bool:
        """Return whether this process has entries in the queue."""
        return bool(self._mine)

    def enter(self, owner: str) -> tuple[QueueEntry, Sequence[QueueEntry]]:
        """Add an entry for `owner`; return it and the queue. Raises DatabaseUnavailable."""
        with self._alone() as connection:
            found = self._all(connection)
            round_, behind = standing_for(owner, [guest for guest, _ in found])
            values = {"owner": owner, "round": round_, "behind": behind, "writing": False}
            row = insert(queue_entries).values(
                **values, until=self._now(connection) + self.lease_seconds
            )
            id_ = connection.execute(row.returning(queue_entries.c.id)).scalar_one()
            me = QueueEntry(id_, owner, round_, behind, writing=False)
            guests = self._settle(connection, [*found, (me, False)])
        self._mine[me.id] = me
        return me, guests

    def take(self, guest: QueueEntry) -> None:
        """Record that an entry of this process has its slot, so that `renew` restores the slot."""
        self._mine[guest.id] = replace(guest, writing=True)

    def leave(self, guest: QueueEntry) -> None:
        """Remove an entry and release its slot, if it has one. Raises DatabaseUnavailable."""
        # First, so that `renew` does not restore it.
        if self._mine.pop(guest.id, None):
            self._remove([guest.id])

    def leave_all(self) -> None:
        """Remove all entries of this process. Raises DatabaseUnavailable."""
        ids = list(self._mine)
        self._mine.clear()
        if ids:
            self._remove(ids)

    def look(self) -> Sequence[QueueEntry]:
        """Return the queue, after removing expired entries and assigning free slots.

        Raises DatabaseUnavailable.
        """
        with self.database.read() as connection:
            found = self._all(connection)
        guests = [guest for guest, _ in found]
        if self._dead(found) or next_in(guests, self.count):
            with self._alone() as connection:
                return self._settle(connection, self._all(connection))
        return guests

    def renew(self) -> None:
        """Renew the leases of this process's entries, and restore entries that were taken for dead.

        Raises DatabaseUnavailable.
        """
        if not self._mine:
            return
        with self._alone() as connection:
            until = self._now(connection) + self.lease_seconds
            mine = dict(self._mine)
            held = update(queue_entries).where(queue_entries.c.id.in_(mine)).values(until=until)
            if connection.execute(held).rowcount < len(mine):
                for guest in mine.values():
                    row = insert_or_ignore(connection, queue_entries).values(
                        **asdict(guest), until=until
                    )
                    connection.execute(row)

    def _remove(self, ids: Sequence[int]) -> None:
        with self._alone() as connection:
            connection.execute(delete(queue_entries).where(queue_entries.c.id.in_(ids)))
            self._settle(connection, self._all(connection))

    @contextmanager
    def _alone(self) -> Iterator[Connection]:
        """Open a write transaction with exclusive access to the queue."""
        with self.database.write() as connection:
            self.database.advisory_lock(connection, "service_line")
            yield connection

    def _settle(self, connection: Connection, found: Found) -> list[QueueEntry]:
        """Remove expired entries, assign free slots, and return the queue."""
        if dead := self._dead(found):
            connection.execute(delete(queue_entries).where(queue_entries.c.id.in_(dead)))
        guests = [guest for guest, _ in found if guest.id not in dead]
        if admitted := {guest.id for guest in next_in(guests, self.count)}:
            connection.execute(
                update(queue_entries).where(queue_entries.c.id.in_(admitted)).values(writing=True)
            )
        return [replace(guest, writing=guest.writing or guest.id in admitted) for guest in guests]

    def _dead(self, found: Found) -> set[int]:
        # After an outage, live processes need time to renew their leases.
        if self.database.clock.monotonic() - self.database.last_failure_at < self.lease_seconds:
            return set()
        return {guest.id for guest, over in found if over} - self._mine.keys()

    def _all(self, connection: Connection) -> Found:
        """Return all entries, each with whether its lease has expired."""
        columns = (queue_entries.c[name] for name in QueueEntry.__slots__)
        over = queue_entries.c.until < self._now(connection)
        return [
            (QueueEntry(*guest), over)
            for *guest, over in connection.execute(select(*columns, over))
        ]

    def _now(self, connection: Connection) -> ColumnElement[float]:
        """Return the time of the database, because the clocks of several machines may differ."""
        if connection.dialect.name == "sqlite":
            return literal(self.database.clock.time())
        return cast(extract("epoch", func.clock_timestamp()), Float)
