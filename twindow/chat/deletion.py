"""Deletion of conversations: hidden at once, restorable for a while, then purged.

A purge deletes the conversation at the service as well, if the service has announced how.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Table, delete, select, update

from twindow.chat.conversations import (
    Conversation,
    conversation_from_row,
    conversations_from_rows,
    permitted_by,
    select_conversations,
)
from twindow.chat.log import Ended, Log, ReplyState
from twindow.chat.schema import conversations as table
from twindow.chat.schema import turns
from twindow.chat.turns import Turns
from twindow.core.db.counters import Counters
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.twin_groups import EVERY_TWIN, TwinPermissions
from twindow.twinapi import Client, NotFound, TwinApiError

logger = logging.getLogger(__name__)

RESTORABLE_SECONDS = 600.0
# If the service cannot be reached for this long, its copy of a conversation stays.
MAX_SERVICE_OUTAGE_SECONDS = 24 * 3600.0
# A transaction of SQLite blocks all greenlets.
PURGED_TURNS_PER_TRANSACTION = 20
PURGE_PAUSE_SECONDS = 0.01
SERVICE_KEEPS_COPY = "Could not delete a conversation at the service: %s"
PURGE_FAILED = "Could not purge deleted conversations."

STOPPED_BY_DELETION = Ended(ReplyState.STOPPED, code="conversation_deleted")


class Deletions:
    """Deletion, restoration and purging of conversations, and deletion of counters."""

    purge_interval_seconds = 3600.0

    def __init__(
        self, database: Database, counters: Counters, turns: Turns, log: Log, client: Client
    ) -> None:
        self.database = database
        self._counters = counters
        self._client = client
        self.turns = turns
        self.log = log
        self._closing = threading.Event()

    def start(self) -> None:
        """Start a thread that purges expired conversations and counters every hour."""
        threading.Thread(target=self._purge_until_closed, daemon=True, name="deletions").start()

    def close(self) -> None:
        """Stop the thread after its current run."""
        self._closing.set()

    def delete(self, conversation_id: str, person: str) -> bool:
        """Delete a conversation and stop its reply.

        Returns False if the conversation is not the person's. A second call changes nothing.
        """
        owned_by_person = (table.c.id == conversation_id) & (table.c.person == person)
        condition = owned_by_person & table.c.deleted_at.is_(None)
        with self.database.write() as connection:
            values = {"deleted_at": self.database.now(connection)}
            connection.execute(update(table).where(condition).values(values))
            row = connection.execute(select(table.c.id).where(owned_by_person)).first()
        if row:
            for newest_turn in self.turns.list_for_conversation(conversation_id, limit=1):
                self._stop_reply(newest_turn.turn.id)
        return row is not None

    def _stop_reply(self, turn_id: str) -> None:
        try:
            self.log.end(turn_id, STOPPED_BY_DELETION)
        except DatabaseUnavailable:  # the conversation is deleted; its reply ends later
            self.log.end_later(turn_id, STOPPED_BY_DELETION)

    def find(self, conversation_id: str, person: str) -> Conversation | None:
        """Return the person's deleted conversation, or None if it cannot be restored."""
        with self.database.read() as connection:
            condition = self._restorable_by(connection, person) & (table.c.id == conversation_id)
            return conversation_from_row(
                connection.execute(select_conversations(condition)).first()
            )

    def list_for_person(
        self, person: str, limit: int, permissions: TwinPermissions = EVERY_TWIN
    ) -> Sequence[Conversation]:
        """Return the person's restorable conversations, the last deleted one first."""
        with self.database.read() as connection:
            query = select_conversations(self._restorable_by(connection, person))
            query = query.where(permitted_by(permissions))
            query = query.order_by(table.c.deleted_at.desc())
            return conversations_from_rows(connection.execute(query.limit(limit)))

    def restore(self, conversation_id: str, person: str) -> None:
        """Restore a conversation, unless `RESTORABLE_SECONDS` have passed."""
        with self.database.write() as connection:
            condition = self._restorable_by(connection, person) & (table.c.id == conversation_id)
            connection.execute(update(table).where(condition).values(deleted_at=None))

    def purge_expired(self) -> None:
        """Purge conversations that cannot be restored any more."""
        with self.database.read() as connection:
            now = self.database.now(connection)
            query = select(table.c.id, table.c.delete_url, table.c.deleted_at)
            expired = connection.execute(
                query.where(table.c.deleted_at < now - RESTORABLE_SECONDS)
            ).all()
        for conversation_id, delete_url, deleted_at in expired:
            is_last_attempt = deleted_at < now - MAX_SERVICE_OUTAGE_SECONDS
            if self._delete_at_service(delete_url) or is_last_attempt:
                # Unless it is restored meanwhile: only with a clock that was set back.
                self._purge((table.c.id == conversation_id) & (table.c.deleted_at == deleted_at))

    def erase_person(self, person: str) -> int:
        """Purge all conversations and the counters of a person now.

        Returns the number of conversations that the service has not deleted; they stay, hidden.
        """
        with self.database.write() as connection:
            owned = table.c.person == person
            # The hourly purge tries again what cannot be deleted now.
            now = self.database.now(connection)
            values = {"deleted_at": now - RESTORABLE_SECONDS}
            connection.execute(
                update(table).where(owned, table.c.deleted_at.is_(None)).values(values)
            )
            query = select(table.c.id, table.c.delete_url).where(owned)
            rows = connection.execute(query).all()
            self._counters.forget(connection, "person", person)
        failed_count = 0
        for conversation_id, delete_url in rows:
            for newest_turn in self.turns.list_for_conversation(conversation_id, limit=1):
                self._stop_reply(newest_turn.turn.id)
            if self._delete_at_service(delete_url):
                self._purge(table.c.id == conversation_id)
            else:
                failed_count += 1
        return failed_count

    def _delete_at_service(self, delete_url: str) -> bool:
        """Delete the service's copy; return False if another attempt may succeed."""
        if not delete_url:
            return True
        try:
            self._client.delete_conversation(delete_url)
        except NotFound:
            return True
        except TwinApiError as error:
            logger.warning(SERVICE_KEEPS_COPY, error)
            return False
        return True

    def _purge(self, condition: ColumnElement[bool]) -> None:
        """Delete a conversation; short transactions with pauses let other requests continue."""
        some_ids = select(turns.c.id).join(table).where(condition)
        some_turns = turns.c.id.in_(some_ids.limit(PURGED_TURNS_PER_TRANSACTION))
        while self._delete(turns, some_turns):
            pass
        self._delete(table, condition)

    def _delete(self, from_table: Table, condition: ColumnElement[bool]) -> bool:
        """Delete rows, and pause. Return whether any rows were deleted."""
        with self.database.write() as connection:
            deleted_count = connection.execute(delete(from_table).where(condition)).rowcount
        self.database.clock.sleep(PURGE_PAUSE_SECONDS)
        return deleted_count > 0

    def _purge_until_closed(self) -> None:
        while not self._closing.is_set():
            try:
                self.purge_expired()
                self._counters.purge(self.database)
            except Exception as error:
                # Catch everything: without this thread, nothing would be purged.
                unexpected_error = None if isinstance(error, DatabaseUnavailable) else error
                logger.exception(PURGE_FAILED, exc_info=unexpected_error)
            self._closing.wait(self.purge_interval_seconds)

    def _restorable_by(self, connection: Connection, person: str) -> ColumnElement[bool]:
        deleted_after = self.database.now(connection) - RESTORABLE_SECONDS
        return (table.c.person == person) & (table.c.deleted_at > deleted_after)
