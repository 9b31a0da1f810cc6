"""Cached list of twins. While it is fresh, a page view makes no call to the service.

The cache is in the database: all processes share it, and it is available while the service is down.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from twindow.chat.catalogue.list_errors import list_error_code
from twindow.chat.catalogue.twin_list_store import CachedTwins, TwinListStore
from twindow.chat.catalogue.twin_lookups import LookupRefused, TwinLookups
from twindow.core.outbound.retry_after import DEFAULT_RETRY_SECONDS
from twindow.core.text_folding import fold
from twindow.core.urls import without_credentials
from twindow.twinapi import (
    Client,
    ConnectionFailed,
    NotFound,
    Page,
    RateLimited,
    Twin,
    TwinApiError,
    UnexpectedResponse,
)

logger = logging.getLogger(__name__)

# The rest of a longer list is left out.
MAX_TWINS = 2_000
# Some services put only fifty twins on a page, although a hundred are asked for.
MAX_PAGES = MAX_TWINS // 50
# How long the end of a list that does not announce it is not looked for again.
END_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class TwinList:
    """List of twins and its age.

    `error` is the error of the last refresh, or None if it succeeded.
    """

    twins: Sequence[Twin]
    age_seconds: float = 0
    error: TwinApiError | None = None


class TwinCatalogue:
    """Cached twins of the service; `store` shares them with other processes.

    `advise` returns text for the log, such as the status of an error and the setting to check.
    """

    # How long a list is fresh.
    max_age_seconds = 60.0
    # Pause between attempts while the service is down, since each may take a whole timeout.
    retry_seconds = 5.0
    rate_limited_seconds = DEFAULT_RETRY_SECONDS
    max_wait_seconds = 1.0

    def __init__(
        self,
        client: Client,
        store: TwinListStore,
        *,
        advise: Callable[[TwinApiError], str] = lambda _: "",
    ) -> None:
        self.client = client
        self._store = store
        self._clock = store.database.clock
        self.lookups = TwinLookups(client, store.database)
        self._advise = advise
        self._cache: CachedTwins | None = None
        self._is_outdated = False
        self._error: TwinApiError | None = None
        self._retry_at = 0.0
        self._skipped_count = 0
        # The twins of the last list whose end was an empty page, and when that page was read.
        self._ended_list: tuple[frozenset[str], float] = frozenset(), 0.0
        self._fetch_thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def list(self) -> TwinList:
        """Return all twins, sorted by name.

        Returns the last list, with its age, while the service is down or slow. Raises TwinApiError
        when there is no list yet.
        """
        if thread := self._start_fetch_if_due():
            # With a cached list, do not wait for a service that hangs.
            thread.join(self.max_wait_seconds if self._cache else None)
        cache, error = self._cache, self._error
        if cache is None:
            raise error.with_traceback(None) if error else ConnectionFailed
        twins = sorted(cache.twins.values(), key=lambda twin: fold(twin.name))
        now = self._clock.time()
        # A fresh list after an error comes from another process: the error is outdated.
        if cache.is_fresh(now, self.max_age_seconds):
            error = None
        return TwinList(twins, max(0.0, now - cache.listed_at), error)

    def find(self, twin_id: str) -> Twin:
        """Return a twin, from the list or else from the service.

        Raises TwinApiError. Raises NotFound without a request if the complete list lacks the twin,
        and LookupRefused if too many twins were requested in this hour.
        """
        self.list()
        if twin := self.find_cached(twin_id):
            return twin
        if self.is_missing(twin_id):
            raise NotFound(404)
        return self.lookups.find(twin_id)

    def find_cached(self, twin_id: str) -> Twin | None:
        """Return a twin from the cache, or None. Makes no call to the service."""
        return self.all_cached().get(twin_id)

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

    def is_gone(self, twin_id: str) -> bool:
        """Return whether the service no longer has a twin; requests a new list of twins."""
        self._is_outdated = True
        try:
            self.find(twin_id)
        except TwinApiError as error:
            return isinstance(error, NotFound) and not isinstance(error, LookupRefused)
        return False

    def _newest_cache(self) -> CachedTwins | None:
        """Return the newest cached list, which another process may have fetched."""
        if not (self._cache and self._cache.is_fresh(self._clock.time(), self.max_age_seconds)):
            self._cache = self._store.load_newer() or self._cache
        return self._cache

    def _start_fetch_if_due(self) -> threading.Thread | None:
        with self._lock:
            cache = self._newest_cache()
            is_fresh = (
                cache
                and not self._is_outdated
                and cache.is_fresh(self._clock.time(), self.max_age_seconds)
            )
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
            self._cache = self.fetch()
            self._store.save(self._cache)
            self._is_outdated, self._error = False, None
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
            values = (without_credentials(self.client.base_url), error.code, self._advise(error))
            logger.error("Could not list the twins at %s: %s. %s", *values)
        self._retry_at = self._clock.monotonic() + delay_seconds
        self._error = error

    def fetch(self) -> CachedTwins:
        """Request the list of twins from the service, and do not store it. Raises TwinApiError."""
        twins: dict[str, Twin] = {}
        is_complete, read_count, skipped_count = False, 0, 0
        for page_number in range(1, MAX_PAGES + 1):
            page = self.client.list_twins(page_number)
            count_before = len(twins)
            skipped_count += page.skipped_count
            read_count += len(page.items) + page.skipped_count
            for twin in page.items[: MAX_TWINS - len(twins)]:
                twins.setdefault(twin.id, twin)
            if len(twins) == MAX_TWINS:
                break
            # Stop when a page has no new twins: the service may repeat the same page forever.
            is_end = len(twins) == count_before and not (page.has_more and not page.items)
            if is_end:
                self._ended_list = frozenset(twins), self._clock.monotonic()
            is_complete = is_end or self._has_ended(page, twins, read_count)
            if is_complete:
                break
        if skipped_count > self._skipped_count:
            logger.warning("%d twins of the service could not be read", skipped_count)
        self._skipped_count = skipped_count
        return CachedTwins(twins, self._clock.time(), is_complete, self.client.base_url)

    def _has_ended(self, page: Page[Twin], twins: Mapping[str, Twin], read_count: int) -> bool:
        """Return whether a page with new twins is the last one, as far as the service says so.

        Services may cap or filter their pages, so a short page is no sign of the end.
        """
        if page.has_more is not None:
            return not page.has_more
        if page.total is not None:
            return page.total <= read_count
        ended_list, ended_at = self._ended_list
        return twins.keys() == ended_list and self._clock.monotonic() - ended_at < END_SECONDS
