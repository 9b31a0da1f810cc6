"""The log of each reply: it is the transcript. Producers append, readers follow by a cursor.

Entries go to readers in this process from memory, at most 20 times a second and turn, and to the
database in one transaction for all turns, at most a slice later. `kill -9` loses that slice.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import msgspec

from chat import stored
from chat.entries import Batch, Ended, Entry, State, said
from chat.heartbeat import BEAT_SECONDS, Heartbeat, is_lost
from chat.live import Live
from database import Database, DatabaseUnavailable

logger = logging.getLogger(__name__)

SLICE_SECONDS = 0.05
RETRY_SECONDS = 1.0
POLL_SECONDS = 0.25
QUIET_SECONDS = 10.0

LOST = Ended(
    State.INTERRUPTED,
    sentence="The reply was cut off, because Twindow was restarted. What came so far is kept.",
    perhaps_received=True,
)
CLOSING = Ended(
    State.INTERRUPTED,
    sentence="The reply was cut off, because Twindow is being restarted. What came so far is kept.",
    perhaps_received=True,
)


class Log:
    """Hold the logs of all turns.

    `render` makes the text of a finished reply into HTML, once.
    """

    def __init__(self, database: Database, render: Callable[[str], str]) -> None:
        self.database = database
        self.render = render
        self.heartbeat = Heartbeat()
        self.closing = False
        self._live: dict[str, Live] = {}
        self._work = threading.Event()
        self._flushing = threading.Lock()
        self._writer: threading.Thread | None = None

    def open(self, turn_id: str) -> None:
        """Begin to hold the log of a turn that this process is about to add."""
        self._live[turn_id] = Live()
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_for_ever, daemon=True, name="log")
            self._writer.start()
        self._work.set()

    def drop(self, turn_id: str) -> None:
        """Hold a log no longer: nobody writes to it. One without an end counts as lost then."""
        self._live.pop(turn_id, None)

    def append(self, turn_id: str, *new: Entry) -> None:
        """Add what came; what comes after the end is not wanted any more."""
        live = self._live.get(turn_id)
        if live:
            live.hold(new, SLICE_SECONDS)
            self._work.set()

    def when_ended(self, turn_id: str, callback: Callable[[], None]) -> bool:
        """Call back when somebody ends the turn. False says that it has ended."""
        live = self._live.get(turn_id)
        if live is None:
            return False
        live.when_closed(callback)
        return True

    def has_text(self, turn_id: str) -> bool:
        """Tell whether anything of the reply has come yet."""
        live = self._live.get(turn_id)
        return live is not None and any(said([entry]) for entry in live.entries)

    def end(self, turn_id: str, ended: Ended) -> bool:
        """End a turn, unless it has ended: the first end holds.

        Without a text of its own the end keeps the text so far. All entries become this one.
        """
        live = self._live.get(turn_id)
        with self.database.write() as connection:
            stored.lock(connection, [turn_id])
            rows = stored.read(connection, [turn_id])[turn_id]
            if rows and isinstance(rows[-1][1], Ended):
                ended, first = rows[-1][1], False
            else:
                known = live.entries if live else [entry for _, entry in rows]
                ended, first = self._finished(ended, said(known)), True
                last = max(rows[-1][0] if rows else 0, live.last if live else 0)
                stored.replace(connection, turn_id, last + 1, ended)
        if live:
            live.close(ended)
            self.drop(turn_id)
        return first

    def _finished(self, ended: Ended, text_so_far: str) -> Ended:
        text = ended.text or text_so_far
        return msgspec.structs.replace(ended, text=text, html=self.render(text))

    def read(self, turn_id: str, after: int = 0) -> Batch:
        """Return what stands in the log after the cursor.

        A cursor that the log does not know yields the whole log, and so does one at or behind
        the end: that last entry stands for all.
        """
        live = self._live.get(turn_id)
        if live:
            return live.batch(after)
        return self._read_stored([turn_id], after)[turn_id]

    def read_all(self, turn_ids: list[str]) -> dict[str, Batch]:
        """Return the whole logs of several turns, those of dead producers ended."""
        live = {turn_id: log.batch(0) for turn_id in turn_ids if (log := self._live.get(turn_id))}
        rest = self._read_stored([turn_id for turn_id in turn_ids if turn_id not in live])
        for turn_id, batch in rest.items():
            if not batch.ended and self.end_if_lost(turn_id):
                rest[turn_id] = self.read(turn_id)
        return live | rest

    def _read_stored(self, turn_ids: list[str], after: int = 0) -> dict[str, Batch]:
        with self.database.read() as connection:
            found = stored.read(connection, turn_ids)
        return {turn_id: stored.batch(rows, after) for turn_id, rows in found.items()}

    def follow(self, turn_id: str, after: int = 0) -> Iterator[Batch]:
        """Yield what comes after the cursor, until the turn ends or Twindow closes.

        An empty batch, every ten seconds, says only that the reply goes on.
        """
        quiet_since = time.monotonic()
        while not self.closing:
            live = self._live.get(turn_id)
            batch = live.wait(after, QUIET_SECONDS) if live else self._look(turn_id, after)
            after = batch.last
            if batch.entries:
                yield batch
                quiet_since = time.monotonic()
                if batch.ended:
                    return
            elif time.monotonic() - quiet_since >= QUIET_SECONDS:
                yield batch
                quiet_since = time.monotonic()
            elif not live:
                time.sleep(POLL_SECONDS)

    def _look(self, turn_id: str, after: int) -> Batch:
        """Read a log that another process writes."""
        batch = self.read(turn_id, after)
        if not batch.entries and self.end_if_lost(turn_id):
            batch = self.read(turn_id, after)
        return batch

    def end_if_lost(self, turn_id: str) -> bool:
        """End a reply that nobody is left to go on with, and say whether it was so."""
        if turn_id in self._live:
            return False
        with self.database.read() as connection:
            if stored.ends(connection, [turn_id]):
                return False
            if not is_lost(connection, turn_id, self.heartbeat.producer):
                return False
        return self.end(turn_id, LOST)

    def close(self) -> None:
        """End every running reply as interrupted, and let all readers go. They come back."""
        self.closing = True
        for turn_id in list(self._live):
            with suppress(DatabaseUnavailable):
                self.end(turn_id, CLOSING)

    def _write_for_ever(self) -> None:
        while True:
            if not self._live:
                self._work.clear()
            self._work.wait(BEAT_SECONDS / 4 if self._live else None)
            time.sleep(SLICE_SECONDS)
            self._work.clear()
            try:
                self.flush()
            except Exception:
                # Whatever it is: without this thread no reply is stored any more.
                logger.exception("The log cannot be written at the moment.")
                time.sleep(RETRY_SECONDS)
                self._work.set()  # what was not stored is still held, and tried again

    def flush(self) -> None:
        """Store what has been appended so far, and notice who was ended elsewhere."""
        with self._flushing:
            self._flush()
        if self._live and self.heartbeat.due:
            with self.database.write() as connection:
                self.heartbeat.beat(connection)

    def _flush(self) -> None:
        taken = {turn_id: live.take() for turn_id, live in list(self._live.items())}
        if not taken:
            return
        with self.database.write() as connection:
            stored.lock(connection, list(taken))
            over = stored.ends(connection, list(taken))
            stored.add(connection, {id_: new for id_, new in taken.items() if id_ not in over})
        for turn_id, new in taken.items():
            if live := self._live.get(turn_id):
                live.stored(new)
        for turn_id, ended in over.items():
            if live := self._live.pop(turn_id, None):
                live.close(ended)
