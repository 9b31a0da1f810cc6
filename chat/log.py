"""The log of each reply: it is the transcript. Producers append, readers follow by a cursor.

Entries go to readers in this process from memory, at most 20 times a second and turn, and to the
database in one transaction for all turns, at most a slice later. `kill -9` loses that slice.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator

import msgspec
from sqlalchemy import Connection, delete, insert, select, update

from chat import entries as log_entries
from chat.entries import Batch, Ended, Entry, State, said
from chat.live import Live
from chat.tables import entries, producers, turns
from database import Busy, Database

SLICE_SECONDS = 0.05
POLL_SECONDS = 0.25
BEAT_SECONDS = 2.0
HEARTBEAT_SECONDS = 10.0
# A producer that has not said it lives for this long is gone, and so are its replies.
LOST_SECONDS = 8.0

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
        self.producer = secrets.token_urlsafe(16)
        self.closing = False
        self._live: dict[str, Live] = {}
        self._work = threading.Event()
        self._writer: threading.Thread | None = None
        self._beaten = 0.0

    def open(self, turn_id: str) -> Live:
        """Begin to hold the log of a turn that this process has just added."""
        live = self._live[turn_id] = Live()
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_for_ever, daemon=True, name="log")
            self._writer.start()
        self._work.set()
        return live

    def append(self, turn_id: str, *new: Entry) -> bool:
        """Add what came. False says that the turn has ended, so that no more is wanted."""
        live = self._live.get(turn_id)
        if live is None or not live.hold(new, SLICE_SECONDS):
            return False
        self._work.set()
        return True

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
            rows = _rows(connection, turn_id, lock=True)
            if rows and isinstance(rows[-1][1], Ended):
                ended, first = rows[-1][1], False
            else:
                known = live.entries if live else [entry for _, entry in rows]
                ended, first = self._finished(ended, said(known)), True
                last = max(rows[-1][0] if rows else 0, live.last if live else 0)
                _replace(connection, turn_id, last + 1, ended)
        if live:
            live.close(ended)
            self._live.pop(turn_id, None)
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
        return self.read_many([turn_id], after)[turn_id]

    def read_all(self, turn_ids: list[str]) -> dict[str, Batch]:
        """Return the whole logs of several turns, those of dead producers ended."""
        live = {turn_id: log.batch(0) for turn_id in turn_ids if (log := self._live.get(turn_id))}
        stored = self.read_many([turn_id for turn_id in turn_ids if turn_id not in live])
        for turn_id, batch in stored.items():
            if not batch.ended and self.end_if_lost(turn_id):
                stored[turn_id] = self.read(turn_id)
        return live | stored

    def read_many(self, turn_ids: list[str], after: int = 0) -> dict[str, Batch]:
        """Return the stored logs of several turns, in one query."""
        found: dict[str, list[tuple[int, Entry]]] = {turn_id: [] for turn_id in turn_ids}
        with self.database.read() as connection:
            query = select(entries.c.turn_id, entries.c.seq, entries.c.data)
            query = query.where(entries.c.turn_id.in_(turn_ids)).order_by(entries.c.seq)
            for turn_id, seq, data in connection.execute(query):
                found[turn_id].append((seq, log_entries.decode(data)))
        return {turn_id: _batch(rows, after) for turn_id, rows in found.items()}

    def follow(self, turn_id: str, after: int = 0) -> Iterator[Batch]:
        """Yield what comes after the cursor, until the turn ends or Twindow closes.

        An empty batch, every ten seconds, says only that the reply goes on.
        """
        quiet_since = time.monotonic()
        while not self.closing:
            live = self._live.get(turn_id)
            batch = live.wait(after, HEARTBEAT_SECONDS) if live else self._look(turn_id, after)
            if batch.entries:
                yield batch
                after = batch.last
                quiet_since = time.monotonic()
                if batch.ended:
                    return
            elif time.monotonic() - quiet_since >= HEARTBEAT_SECONDS:
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
        query = (
            select(producers.c.seen_at)
            .select_from(turns.outerjoin(producers, turns.c.producer == producers.c.id))
            .where(turns.c.id == turn_id)
        )
        with self.database.read() as connection:
            if has_ended(connection, turn_id):
                return False
            seen_at = connection.execute(query).scalar()
        if seen_at is not None and time.time() - seen_at < LOST_SECONDS:
            return False
        return self.end(turn_id, LOST)

    def beat(self, connection: Connection) -> None:
        """Say in the database that this process lives."""
        mine = producers.c.id == self.producer
        now = time.time()
        if not connection.execute(update(producers).where(mine).values(seen_at=now)).rowcount:
            connection.execute(insert(producers).values(id=self.producer, seen_at=now))
        self._beaten = time.monotonic()

    def close(self) -> None:
        """End every running reply as interrupted, and let all readers go. They come back."""
        self.closing = True
        for turn_id in list(self._live):
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
            except Busy:
                self._work.set()  # what was not stored is still held, and tried again

    def flush(self) -> None:
        """Hand on and store what has been appended so far."""
        held = {turn_id: live.take() for turn_id, live in list(self._live.items())}
        if not held:
            return
        rows = [
            {"turn_id": turn_id, "seq": seq, "kind": log_entries.kind(entry), "entry": entry}
            for turn_id, taken in held.items()
            for seq, entry in taken
        ]
        beat_due = time.monotonic() - self._beaten > BEAT_SECONDS
        with self.database.write() as connection:
            over = _ended_among(connection, list(held), lock=bool(rows))
            stored = [
                {**row, "data": log_entries.encode(row.pop("entry"))}
                for row in rows
                if row["turn_id"] not in over
            ]
            if stored:
                connection.execute(insert(entries), stored)
            if beat_due:
                self.beat(connection)
        for turn_id, taken in held.items():
            live = self._live.get(turn_id)
            if live:
                live.stored(taken)
        for turn_id, ended in over.items():
            live = self._live.pop(turn_id, None)
            if live:
                live.close(ended)


def has_ended(connection: Connection, turn_id: str) -> bool:
    """Tell whether the log of the turn has its last entry."""
    ended = (entries.c.turn_id == turn_id) & (entries.c.kind == "ended")
    return connection.execute(select(entries.c.seq).where(ended)).first() is not None


def _rows(connection: Connection, turn_id: str, *, lock: bool) -> list[tuple[int, Entry]]:
    if lock:
        connection.execute(select(turns.c.id).where(turns.c.id == turn_id).with_for_update())
    query = select(entries.c.seq, entries.c.data).where(entries.c.turn_id == turn_id)
    found = connection.execute(query.order_by(entries.c.seq))
    return [(seq, log_entries.decode(data)) for seq, data in found]


def _ended_among(connection: Connection, turn_ids: list[str], *, lock: bool) -> dict[str, Ended]:
    if lock:
        query = select(turns.c.id).where(turns.c.id.in_(turn_ids)).order_by(turns.c.id)
        connection.execute(query.with_for_update())
    ended = (entries.c.turn_id.in_(turn_ids)) & (entries.c.kind == "ended")
    found = connection.execute(select(entries.c.turn_id, entries.c.data).where(ended))
    return {turn_id: log_entries.decode(data) for turn_id, data in found}


def _replace(connection: Connection, turn_id: str, seq: int, ended: Ended) -> None:
    connection.execute(delete(entries).where(entries.c.turn_id == turn_id))
    row = {"turn_id": turn_id, "seq": seq, "kind": "ended", "data": log_entries.encode(ended)}
    connection.execute(insert(entries).values(row))


def _batch(rows: list[tuple[int, Entry]], after: int) -> Batch:
    last = rows[-1][0] if rows else 0
    if after > last or (rows and isinstance(rows[-1][1], Ended)):
        after = 0
    return Batch(after, last, tuple(entry for seq, entry in rows if seq > after))
