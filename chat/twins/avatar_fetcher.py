"""Avatars of twins, downloaded on first use, once for all people and processes."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from chat.twins.avatar_cache import AvatarCache
from core.database import Database, DatabaseUnavailable
from core.images import Image, sniff_image
from twinapi import AvatarUnavailable, Client, Twin

logger = logging.getLogger(__name__)

MAX_CONCURRENT_FETCHES = 4
POLL_SECONDS = 0.05
# Maximum length of a URL or a reason in a log line: the service may send very long texts.
MAX_LOGGED_CHARACTERS = 200


class AvatarFetcher:
    """Lookup and download of avatars by name.

    Only URLs from a list of twins of the service are ever requested.
    """

    # Browsers limit parallel requests, so slow images would delay other requests of the person.
    max_wait_seconds = 1.0

    def __init__(self, client: Client, database: Database) -> None:
        self.client = client
        self.cache = AvatarCache(database)
        self._clock = database.clock
        self._executor = ThreadPoolExecutor(MAX_CONCURRENT_FETCHES, thread_name_prefix="avatar")

    def image_name(self, twin: Twin | None) -> str:
        """Return the name of a twin's avatar, or "" if it has none.

        The name is a hash of the base URL of the service and the URL of the avatar.
        """
        if twin is None or not twin.avatar_url:
            return ""
        full_url = f"{self.client.base_url}\n{twin.avatar_url}"
        return hashlib.sha256(full_url.encode()).hexdigest()[:32]

    def find(self, name: str, twins: Mapping[str, Twin]) -> Image | None:
        """Return the avatar with this name, or None if no twin has it or it is not available.

        A cached image is returned at once, even if it is due for a new download. Waits at most
        `max_wait_seconds` for the first download.
        """
        url = self._find_url(name, twins)
        if url is None:
            return None
        try:
            return self._find_or_fetch(name, url)
        except DatabaseUnavailable:
            return None

    def _find_or_fetch(self, name: str, url: str) -> Image | None:
        entry = self.cache.find(name)
        if entry.is_due:
            if self.cache.claim(name):
                self._executor.submit(self._fetch_and_store, name, url)
            entry = self.cache.find(name)
        deadline = self._clock.monotonic() + self.max_wait_seconds
        while entry.is_fetching and self._clock.monotonic() < deadline:
            self._clock.sleep(POLL_SECONDS)
            entry = self.cache.find(name)
        return entry.image

    def _find_url(self, name: str, twins: Mapping[str, Twin]) -> str | None:
        urls = (twin.avatar_url for twin in twins.values() if self.image_name(twin) == name)
        return next(urls, None) if name else None

    def _fetch_and_store(self, name: str, url: str) -> None:
        # The query string of the URL may contain secrets.
        logged_url = url.partition("?")[0][:MAX_LOGGED_CHARACTERS]
        try:
            self.cache.store(name, self._download(url))
        except AvatarUnavailable as error:
            reason = str(error)[:MAX_LOGGED_CHARACTERS]
            logger.warning("Avatar %s is not shown: %s.", logged_url, reason)
            self.cache.record_failure(name)
        except Exception:
            logger.exception("Could not download or store avatar %s.", logged_url)
            self.cache.record_failure(name)

    def _download(self, url: str) -> Image:
        if image := sniff_image(self.client.fetch_avatar(url)):
            return image
        raise AvatarUnavailable("it is not a PNG, JPEG, WebP or GIF of 8 to 4,096 pixels per side")
