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
from twinapi import (
    Client,
    ConnectionFailed,
    NotFound,
    RateLimited,
    Twin,
    TwinApiError,
    UnexpectedResponse,
)

logger = logging.getLogger(__name__)

MAX_PAGES = 20

SERVICE_NOT_FOUND = N_("The service is not where it is looked for. Please tell the operator.")
LIST_UNREADABLE = N_("The list of twins could not be read. Please tell the operator.")


@dataclass(frozen=True, slots=True)
class TwinList:
    """The twins, how many seconds old the list is, and why it is not fresh, if it is not."""

    twins: Sequence[Twin]
    age_seconds: float = 0
    sentence: str = ""


class CachedTwins(msgspec.Struct, frozen=True):
    """What is known of the twins: `listed_at` in seconds since 1970, and whether they are all."""

    twins: dict[str, Twin]
    listed_at: float
    complete: bool
    service: str

    def is_fresh(self, now: float, max_age_seconds: float) -> bool:
        """Tell whether the list is younger than `keep` seconds; one from the future is not."""
        return 0 <= now - self.listed_at < max_age_seconds


class TwinCatalogue:
    """List and find twins; `keep` is how many seconds a list is fresh."""

    # While the service is down, it is asked again only this often: each try may cost its time-out.
    retry_seconds = 5.0
    rate_limited_seconds = 60.0
    max_wait_seconds = 1.0

    def __init__(self, client: Client, database: Database, *, max_age_seconds: float) -> None:
        self.client = client
        self.database = database
        self._clock = database.clock
        self.max_age_seconds = max_age_seconds
        self._service_url = client.base_url
        self._cache: CachedTwins | None = None
        self._error: TwinApiError | None = None
        self._retry_at = 0.0
        self._fetch_thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def list(self) -> TwinList:
        """Return all twins; while the service is down or slow the last list, with its age.

        Raises TwinApiError when there is no list yet.
        """
        if thread := self._start_fetch_if_due():
            # Whoever has a list to look at does not wait for a service that hangs.
            thread.join(self.max_wait_seconds if self._cache else None)
        cache, error = self._cache, self._error
        if cache is None:
            raise error.with_traceback(None) if error else ConnectionFailed
        twins = sorted(cache.twins.values(), key=lambda twin: fold(twin.name))
        age_seconds = max(0.0, self._clock.time() - cache.listed_at)
        return TwinList(twins, age_seconds, error.sentence if error else "")

    def find(self, twin_id: str) -> Twin:
        """Return a twin. Raises TwinApiError."""
        self.list()
        if twin := self.find_cached(twin_id):
            return twin
        if self.is_missing(twin_id):
            raise NotFound(404)
        return self.client.get_twin(twin_id)

    def find_cached(self, twin_id: str) -> Twin | None:
        """Return a twin if it was listed before; this does not ask the service."""
        cache = self._newest_cache()
        return cache.twins.get(twin_id) if cache else None

    def all_cached(self) -> Mapping[str, Twin]:
        """Return all twins that were listed before, by their ids; this does not ask the service."""
        cache = self._newest_cache()
        return cache.twins if cache else {}

    def is_missing(self, twin_id: str) -> bool:
        """Tell whether all twins were listed and this is none; this does not ask the service."""
        cache = self._newest_cache()
        return bool(cache and cache.complete and twin_id not in cache.twins)

    def _newest_cache(self) -> CachedTwins | None:
        """Return the newest list, which another process may have fetched."""
        if not (self._cache and self._cache.is_fresh(self._clock.time(), self.max_age_seconds)):
            self._cache = self._load_newer() or self._cache
        return self._cache

    def _start_fetch_if_due(self) -> threading.Thread | None:
        with self._lock:
            cache = self._newest_cache()
            is_fresh = cache and cache.is_fresh(self._clock.time(), self.max_age_seconds)
            is_paused = self._clock.monotonic() < self._retry_at
            if not (
                is_fresh or is_paused or (self._fetch_thread and self._fetch_thread.is_alive())
            ):
                self._fetch_thread = threading.Thread(
                    target=self._refresh, daemon=True, name="twins"
                )
                self._fetch_thread.start()
            return self._fetch_thread

    def _refresh(self) -> None:
        try:
            self._cache = self._fetch_all()
            self._error = None
        except TwinApiError as error:
            self._record_failure(error)
        except Exception:
            logger.exception("The list of twins cannot be read.")
            self._record_failure(UnexpectedResponse(200))

    def _record_failure(self, error: TwinApiError) -> None:
        delay_seconds = self.retry_seconds
        if isinstance(error, RateLimited):
            delay_seconds = (
                self.rate_limited_seconds if error.retry_after is None else error.retry_after
            )
        if isinstance(error, UnexpectedResponse):
            error.sentence = LIST_UNREADABLE
        if isinstance(error, NotFound):
            error.sentence = SERVICE_NOT_FOUND
        self._retry_at = self._clock.monotonic() + delay_seconds
        self._error = error

    def _fetch_all(self) -> CachedTwins:
        twins: dict[str, Twin] = {}
        is_complete, skipped_count = False, 0
        for page_number in range(1, MAX_PAGES + 1):
            page = self.client.list_twins(page_number)
            count_before = len(twins)
            skipped_count += page.skipped_count
            for twin in page.items:
                twins.setdefault(twin.id, replace(twin, extra={}))
            # A service that repeats its page for ever must not be followed for ever.
            if len(twins) == count_before or not page.has_more:
                is_complete = True
                break
        if skipped_count:
            logger.warning("%d twins of the service could not be read", skipped_count)
        cache = CachedTwins(twins, self._clock.time(), is_complete, self._service_url)
        self._save(cache)
        return cache

    def _load_newer(self) -> CachedTwins | None:
        query = select(kept_twins.c.data)
        if self._cache:
            query = query.where(kept_twins.c.listed_at != self._cache.listed_at)
        with (
            suppress(DatabaseUnavailable, msgspec.MsgspecError),
            self.database.read() as connection,
        ):
            data = connection.execute(query).scalar()
            cache = msgspec.msgpack.decode(data, type=CachedTwins) if data else None
            return cache if cache and cache.service == self._service_url else None
        return None

    def _save(self, cache: CachedTwins) -> None:
        row = {"id": 1, "data": msgspec.msgpack.encode(cache), "listed_at": cache.listed_at}
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            upsert(connection, kept_twins, "id", row)
