"""Cached list of twins. While it is fresh, a page view makes no call to the service.

The cache is in the database: all processes share it, and it is available while the service is down.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import msgspec
from sqlalchemy import select

from chat.schema import kept_twins
from chat.twins.list_errors import list_error_code
from chat.twins.twin_lookups import TwinLookups
from core.database import Database, DatabaseUnavailable, upsert
from core.text_folding import fold
from core.urls import without_credentials
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
# The service may put any number of them on one page.
MAX_TWINS = 2_000


@dataclass(frozen=True, slots=True)
class TwinList:
    """List of twins and its age.

    `error` prevented the last refresh; None if it succeeded.
    """

    twins: Sequence[Twin]
    age_seconds: float = 0
    error: TwinApiError | None = None


class CachedTwins(msgspec.Struct, frozen=True):
    """Stored list: twins by id, fetched at `listed_at` (by the clock of this machine).

    `complete` is False if the service has more pages than were read. `service` is its base URL.
    """

    twins: dict[str, Twin]
    listed_at: float
    complete: bool
    service: str

    def is_fresh(self, now: float, max_age_seconds: float) -> bool:
        """Return whether the list is younger than `max_age_seconds`.

        A list from the future is not fresh.
        """
        return 0 <= now - self.listed_at < max_age_seconds


class TwinCatalogue:
    """Cached twins of the service. A list is fresh for `max_age_seconds`.

    `advise` returns the status of an error and the setting to check, for the log.
    """

    # Pause between attempts while the service is down, since each may take a whole timeout.
    retry_seconds = 5.0
    rate_limited_seconds = 60.0
    max_wait_seconds = 1.0

    def __init__(
        self,
        client: Client,
        database: Database,
        *,
        max_age_seconds: float,
        advise: Callable[[TwinApiError], str] = lambda _: "",
    ) -> None:
        self.client = client
        self.database = database
        self.lookups = TwinLookups(client, database.clock)
        self._clock = database.clock
        self.max_age_seconds = max_age_seconds
        self._advise = advise
        self._service_url = client.base_url
        self._cache: CachedTwins | None = None
        # When the list was stored, by the clock of the database.
        self._stored_at: float | None = None
        self._error: TwinApiError | None = None
        self._retry_at = 0.0
        self._fetch_thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def list(self) -> TwinList:
        """Return all twins, sorted by name.

        While the service is down or slow this is the last list, with its age. Raises TwinApiError
        when there is no list yet.
        """
        if thread := self._start_fetch_if_due():
            # With a cached list, do not wait for a service that hangs.
            thread.join(self.max_wait_seconds if self._cache else None)
        cache, error = self._cache, self._error
        if cache is None:
            raise error.with_traceback(None) if error else ConnectionFailed
        twins = sorted(cache.twins.values(), key=lambda twin: fold(twin.name))
        age_seconds = max(0.0, self._clock.time() - cache.listed_at)
        return TwinList(twins, age_seconds, error)

    def find(self, twin_id: str) -> Twin:
        """Return a twin, from the list or else from the service.

        Raises TwinApiError; NotFound, without a call, if the list is complete and lacks the twin,
        or after too many calls.
        """
        self.list()
        if twin := self.find_cached(twin_id):
            return twin
        if self.is_missing(twin_id):
            raise NotFound(404)
        return self.lookups.find(twin_id)

    def find_cached(self, twin_id: str) -> Twin | None:
        """Return a twin from the cache, or None. Makes no call to the service."""
        cache = self._newest_cache()
        return cache.twins.get(twin_id) if cache else None

    def all_cached(self) -> Mapping[str, Twin]:
        """Return all cached twins by id. Makes no call to the service."""
        cache = self._newest_cache()
        return cache.twins if cache else {}

    def is_missing(self, twin_id: str) -> bool:
        """Return whether the cached list is complete and lacks this twin.

        Makes no call to the service.
        """
        cache = self._newest_cache()
        return bool(cache and cache.complete and twin_id not in cache.twins)

    def _newest_cache(self) -> CachedTwins | None:
        """Return the newest cached list, which another process may have fetched."""
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
                    target=self._refresh, daemon=True, name="twin-catalogue"
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
            logger.exception("Could not read the list of twins.")
            self._record_failure(UnexpectedResponse(200))

    def _record_failure(self, error: TwinApiError) -> None:
        delay_seconds = self.retry_seconds
        if isinstance(error, RateLimited):
            delay_seconds = (
                self.rate_limited_seconds
                if error.retry_after is None
                else max(error.retry_after, self.retry_seconds)
            )
        error.code = list_error_code(error)
        if self._error is None or self._error.code != error.code:
            values = (without_credentials(self._service_url), error.code, self._advise(error))
            logger.error("Could not list the twins at %s: %s. %s", *values)
        self._retry_at = self._clock.monotonic() + delay_seconds
        self._error = error

    def _fetch_all(self) -> CachedTwins:
        twins: dict[str, Twin] = {}
        is_complete, skipped_count = False, 0
        for page_number in range(1, MAX_PAGES + 1):
            page = self.client.list_twins(page_number)
            count_before = len(twins)
            skipped_count += page.skipped_count
            for twin in page.items[: MAX_TWINS - len(twins)]:
                twins.setdefault(twin.id, replace(twin, extra={}))
            # Stop when a page has no new twins: the service may repeat the same page forever.
            if len(twins) == count_before or not page.has_more:
                is_complete = True
                break
        if skipped_count:
            logger.warning("%d twins of the service could not be read", skipped_count)
        cache = CachedTwins(twins, self._clock.time(), is_complete, self._service_url)
        self._save(cache)
        return cache

    def _load_newer(self) -> CachedTwins | None:
        query = select(kept_twins.c.data, kept_twins.c.listed_at)
        if self._stored_at is not None:
            query = query.where(kept_twins.c.listed_at != self._stored_at)
        with (
            suppress(DatabaseUnavailable, msgspec.MsgspecError),
            self.database.read() as connection,
        ):
            row = connection.execute(query).first()
            cache = msgspec.msgpack.decode(row.data, type=CachedTwins) if row else None
            if row and cache and cache.service == self._service_url:
                self._stored_at = row.listed_at
                now = self.database.now(connection)
                listed_at = self.database.to_local_time(row.listed_at, now)
                return msgspec.structs.replace(cache, listed_at=listed_at)
        return None

    def _save(self, cache: CachedTwins) -> None:
        with suppress(DatabaseUnavailable), self.database.write() as connection:
            self._stored_at = self.database.now(connection)
            data = msgspec.msgpack.encode(cache)
            row = {"id": 1, "data": data, "listed_at": self._stored_at}
            upsert(connection, kept_twins, "id", row)
