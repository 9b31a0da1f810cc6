"""The twins, as the service listed them last. A page view costs no call while the list is fresh.

The list is kept in the database: all processes share it, and it is there when the service is not.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import msgspec
from sqlalchemy import select

from chat.schema import kept_twins
from core.database import Database, DatabaseUnavailable, upsert
from core.languages import N_
from core.text_folding import fold
from twinapi import Client, ConnectionFailed, NotFound, RateLimited, Twin, TwinApiError, Unexpected

logger = logging.getLogger(__name__)

MAX_PAGES = 20

NOWHERE = N_("The service is not where it is looked for. Please tell the operator.")
UNREADABLE = N_("The list of twins could not be read. Please tell the operator.")


@dataclass(frozen=True, slots=True)
class Listing:
    """The twins, how many seconds old the list is, and why it is not fresh, if it is not."""

    twins: Sequence[Twin]
    age: float = 0
    sentence: str = ""


class Known(msgspec.Struct, frozen=True):
    """What is known of the twins: `listed_at` in seconds since 1970, and whether they are all."""

    twins: dict[str, Twin]
    listed_at: float
    complete: bool
    service: str

    def is_fresh(self, now: float, keep: float) -> bool:
        """Tell whether the list is younger than `keep` seconds; one from the future is not."""
        return 0 <= now - self.listed_at < keep


class Directory:
    """List and find twins; `keep` is how many seconds a list is fresh."""

    # While the service is down, it is asked again only this often: each try may cost its time-out.
    retry_seconds = 5.0
    refused_seconds = 60.0
    patience_seconds = 1.0

    def __init__(self, client: Client, database: Database, *, keep: float) -> None:
        self.client = client
        self.database = database
        self._clock = database.clock
        self.keep = keep
        self._service = client.base_url
        self._known: Known | None = None
        self._failure: TwinApiError | None = None
        self._pause_until = 0.0
        self._fetching: threading.Thread | None = None
        self._lock = threading.Lock()

    def list(self) -> Listing:
        """Return all twins; while the service is down or slow the last list, with its age.

        Raises TwinApiError when there is no list yet.
        """
        if fetching := self._fetching_if_due():
            # Whoever has a list to look at does not wait for a service that hangs.
            fetching.join(self.patience_seconds if self._known else None)
        known, failure = self._known, self._failure
        if known is None:
            raise failure.with_traceback(None) if failure else ConnectionFailed
        twins = sorted(known.twins.values(), key=lambda twin: fold(twin.name))
        age = max(0.0, self._clock.time() - known.listed_at)
        return Listing(twins, age, failure.sentence if failure else "")

    def find(self, twin_id: str) -> Twin:
        """Return a twin. Raises TwinApiError."""
        self.list()
        if twin := self.known(twin_id):
            return twin
        if self.is_gone(twin_id):
            raise NotFound(404)
        return self.client.get_twin(twin_id)

    def known(self, twin_id: str) -> Twin | None:
        """Return a twin if it was listed before; this does not ask the service."""
        known = self._newest()
        return known.twins.get(twin_id) if known else None

    def all_known(self) -> Mapping[str, Twin]:
        """Return all twins that were listed before, by their ids; this does not ask the service."""
        known = self._newest()
        return known.twins if known else {}

    def is_gone(self, twin_id: str) -> bool:
        """Tell whether all twins were listed and this is none; this does not ask the service."""
        known = self._newest()
        return bool(known and known.complete and twin_id not in known.twins)

    def _newest(self) -> Known | None:
        """Return the newest list, which another process may have fetched."""
        if not (self._known and self._known.is_fresh(self._clock.time(), self.keep)):
            self._known = self._kept() or self._known
        return self._known

    def _fetching_if_due(self) -> threading.Thread | None:
        with self._lock:
            known = self._newest()
            fresh = known and known.is_fresh(self._clock.time(), self.keep)
            paused = self._clock.monotonic() < self._pause_until
            if not (fresh or paused or (self._fetching and self._fetching.is_alive())):
                self._fetching = threading.Thread(target=self._refresh, daemon=True, name="twins")
                self._fetching.start()
            return self._fetching

    def _refresh(self) -> None:
        try:
            self._known = self._fetched()
            self._failure = None
        except TwinApiError as error:
            self._fail(error)
        except Exception:
            logger.exception("The list of twins cannot be read.")
            self._fail(Unexpected(200))

    def _fail(self, error: TwinApiError) -> None:
        pause = self.retry_seconds
        if isinstance(error, RateLimited):
            pause = self.refused_seconds if error.retry_after is None else error.retry_after
        if isinstance(error, Unexpected):
            error.sentence = UNREADABLE
        if isinstance(error, NotFound):
            error.sentence = NOWHERE
        self._pause_until = self._clock.monotonic() + pause
        self._failure = error

    def _fetched(self) -> Known:
        found: dict[str, Twin] = {}
        complete, skipped = False, 0
        for page in range(1, MAX_PAGES + 1):
            part = self.client.list_twins(page)
            before = len(found)
            skipped += part.skipped
            for twin in part.items:
                found.setdefault(twin.id, replace(twin, extra={}))
            # A service that repeats its page for ever must not be followed for ever.
            if len(found) == before or not part.more:
                complete = True
                break
        if skipped:
            logger.warning("%d twins of the service could not be read", skipped)
        known = Known(found, self._clock.time(), complete, self._service)
        self._keep(known)
        return known

    def _kept(self) -> Known | None:
        query = select(kept_twins.c.data)
        if self._known:
            query = query.where(kept_twins.c.listed_at != self._known.listed_at)
        with (
            suppress(DatabaseUnavailable, msgspec.MsgspecError),
            self.database.read() as connection,
        ):
            data = connection.execute(query).scalar()
            known = msgspec.msgpack.decode(data, type=Known) if data else None
            return known if known and known.service == self._service else None
        return None

    def _keep(self, known: Known) -> None:
        row = {"id": 1, "data": msgspec.msgpack.encode(known), "listed_at": known.listed_at}
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            upsert(connection, kept_twins, "id", row)
