"""The log of each reply: it is the transcript. Producers append, readers follow by a cursor.

Entries go to readers in this process from memory, at most 20 times a second and turn (5 times when
the reply is very long), and to the database in one transaction for all turns, at most a slice
later. `kill -9` loses that slice.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext, suppress

import msgspec
from sqlalchemy.exc import IntegrityError

from chat.log import flusher, store
from chat.log.buffer import Live
from chat.log.entries import Batch, Ended, Entry, State, text_of
from chat.log.flusher import Writer
from chat.log.heartbeat import Heartbeat
from chat.log.notifier import Bell
from chat.log.recovery import Orphans, Still
from chat.log.remote_follower import Elsewhere
from core.database import Database, DatabaseUnavailable
from core.languages import N_

CLOSING = Ended(
    State.INTERRUPTED,
    sentence=N_(
        "The reply was cut off, because Twindow is being restarted. What came so far is kept."
    ),
    perhaps_received=True,
)
CLOSING_UNSENT = msgspec.structs.replace(CLOSING, perhaps_received=False)


class Log:
    """Hold the logs of all turns.

    `render` makes the text of a finished reply into HTML, once; it is told the id of the turn, to
    set what it names apart.
    """

    # Readers get an empty batch when nothing happens for this long.
    quiet_seconds = 5.0

    def __init__(self, database: Database, render: Callable[[str, str], str]) -> None:
        self.database = database
        self.render = render
        self.heartbeat = Heartbeat(database)
        self.closing = False
        self._live: dict[str, Live] = {}
        self._bell = Bell(database, "twindow_log")
        self._writer = Writer(database, self._bell, self.heartbeat, self._live)
        self.orphans = Orphans(database, self.heartbeat, self._live, self._end)
        self.elsewhere = Elsewhere(database, self._bell, self.orphans.end_while_writing)

    def open(self, turn_id: str) -> None:
        """Begin to hold the log of a turn that this process is about to add.

        Raises DatabaseUnavailable when this process is about to end.
        """
        if self.closing:
            raise DatabaseUnavailable
        self._live[turn_id] = Live(self.database.clock)
        self._writer.wake()

    def drop(self, turn_id: str) -> None:
        """Hold a log no longer: nobody writes to it. One without an end counts as lost then."""
        if live := self._live.pop(turn_id, None):
            live.let_go()

    def append(self, turn_id: str, *new: Entry) -> None:
        """Add what came; what comes after the end is not wanted any more."""
        if live := self._live.get(turn_id):
            live.hold(new, flusher.SLICE_SECONDS)
            self._writer.wake()

    def when_ended(self, turn_id: str, callback: Callable[[], None]) -> bool:
        """Call back when somebody ends the turn. False says that it has ended."""
        live = self._live.get(turn_id)
        if live is None:
            return False
        live.when_closed(callback)
        return True

    def length(self, turn_id: str) -> int:
        """Return how many characters of the reply have come so far."""
        live = self._live.get(turn_id)
        return len(text_of(live.entries)) if live else 0

    def end(self, turn_id: str, ended: Ended) -> bool:
        """End a turn, unless it has ended: the first end holds.

        Without a text of its own the end keeps the text so far. All entries become this one.
        Raises DatabaseUnavailable.
        """
        return self._end(turn_id, ended)

    def _end(self, turn_id: str, ended: Ended, still: Still | None = None) -> bool:
        live = self._live.get(turn_id)
        # Before the transaction: a long text takes a while to render, and nobody else could write.
        before = self.read(turn_id)
        if before.ended:
            return False
        known = text_of(live.entries if live else before.entries)
        finished = self._finished(turn_id, ended, known)
        asked_at = time.monotonic()
        with self.database.write() as connection:
            if still and not still(connection, time.monotonic() - asked_at):
                return False
            store.lock(connection, [turn_id])
            rows = store.read(connection, [turn_id])[turn_id]
            last_entry = rows[-1][1] if rows else None
            first = not isinstance(last_entry, Ended)
            if isinstance(last_entry, Ended):
                finished = last_entry
            else:
                now_known = text_of(live.entries if live else [entry for _, entry in rows])
                if now_known != known and not ended.text:
                    finished = self._finished(turn_id, ended, now_known)
                last = max(rows[-1][0] if rows else 0, live.last if live else 0)
                store.replace(connection, turn_id, last + 1, finished)
                self._bell.ring(connection)
        if live:
            live.close(finished)
            self.drop(turn_id)
        return first

    def give_up(self, turn_id: str, ended: Ended) -> None:
        """End a turn that cannot be stored, for those who follow it here; later it is lost."""
        if live := self._live.pop(turn_id, None):
            live.close(self._finished(turn_id, ended, text_of(live.entries)))

    def _finished(self, turn_id: str, ended: Ended, text_so_far: str) -> Ended:
        text = ended.text or text_so_far
        return msgspec.structs.replace(ended, text=text, html=self.render(text, turn_id))

    def read(self, turn_id: str, after: int = 0) -> Batch:
        """Return what stands in the log after the cursor.

        A cursor that the log does not know yields the whole log, and so does one at or behind
        the end: that last entry stands for all.
        """
        if live := self._live.get(turn_id):
            return live.batch(after)
        return self._read_stored([turn_id], after)[turn_id]

    def read_all(self, turn_ids: list[str]) -> dict[str, Batch]:
        """Return the whole logs of several turns, those of dead producers ended."""
        live = {turn_id: log.batch(0) for turn_id in turn_ids if (log := self._live.get(turn_id))}
        rest = self._read_stored([turn_id for turn_id in turn_ids if turn_id not in live])
        for turn_id in self.orphans.end(id_ for id_, batch in rest.items() if not batch.ended):
            rest[turn_id] = self.read(turn_id)
        return live | rest

    def _read_stored(self, turn_ids: list[str], after: int = 0) -> dict[str, Batch]:
        with self.database.read() as connection:
            found = store.read(connection, turn_ids)
        return {turn_id: store.batch(rows, after) for turn_id, rows in found.items()}

    def follow(self, turn_id: str, quiet_seconds: float | None = None) -> Iterator[Batch]:
        """Yield the whole log and what comes to it, until the turn ends or Twindow closes.

        An empty batch, after five seconds or so many, says only that the reply goes on.
        """
        after = 0
        while not self.closing:
            with self._source(turn_id) as live:
                while not (self.closing or live.left):
                    batch = live.wait(after, quiet_seconds or self.quiet_seconds)
                    after = batch.last
                    if batch.entries or live.running:
                        yield batch
                    if batch.ended:
                        return

    def _source(self, turn_id: str) -> AbstractContextManager[Live]:
        live = self._live.get(turn_id)
        return nullcontext(live) if live else self.elsewhere.following(turn_id)

    def close(self) -> None:
        """End every running reply as interrupted, and let all readers go. They come back."""
        self.closing = True
        self.orphans.close()
        for turn_id, live in list(self._live.items()):
            # A turn that is being added is not there yet; without a producer it is lost at once.
            with suppress(DatabaseUnavailable, IntegrityError):
                self.end(turn_id, CLOSING if live.sending else CLOSING_UNSENT)
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            self.heartbeat.leave(connection)
            self._bell.ring(connection)
        self.elsewhere.close()
        self._writer.close()

    def can_write(self) -> bool:
        """Tell whether what is said can be kept, by trying."""
        try:
            with self.database.write() as connection:
                self.heartbeat.beat(connection)
        except DatabaseUnavailable:
            return False
        return True

    def flush(self) -> None:
        """Store what has been appended so far."""
        self._writer.flush()
