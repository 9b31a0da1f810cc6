"""The avatars of twins: fetched once for all people and processes, by whoever looks first."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor

from chat.twins.avatar_cache import KeptPictures
from chat.twins.catalogue import Directory
from core.database import Database, DatabaseUnavailable
from core.images import Picture, picture
from twinapi import Client, NoPicture, Twin

logger = logging.getLogger(__name__)

AT_ONCE = 4
LOOK_SECONDS = 0.05


class Avatars:
    """Find pictures by name; only what the service names in its list is ever asked for."""

    # A browser asks for few things at once: a slow picture must not hold up what the person does.
    patience_seconds = 1.0

    def __init__(self, client: Client, directory: Directory, database: Database) -> None:
        self.client = client
        self.directory = directory
        self.kept = KeptPictures(database)
        self._clock = database.clock
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="avatar")
        self._addresses: tuple[Mapping[str, Twin], Mapping[str, str]] = ({}, {})

    def name(self, twin: Twin | None) -> str:
        """Return the name of a twin's picture, "" where there is none.

        Another address, or another service, is another name.
        """
        if twin is None or not twin.avatar_url:
            return ""
        address = f"{self.client.base_url}\n{twin.avatar_url}"
        return hashlib.sha256(address.encode()).hexdigest()[:32]

    def find(self, name: str) -> Picture | None:
        """Return a picture, an old one at once; where there is none yet, wait a moment for it."""
        address = self._address(name)
        if address is None:
            return None
        try:
            return self._find(name, address)
        except DatabaseUnavailable:
            return None

    def _find(self, name: str, address: str) -> Picture | None:
        kept = self.kept.look(name)
        if kept.due:
            if self.kept.claim(name):
                self._threads.submit(self._fetch, name, address)
            kept = self.kept.look(name)
        give_up = self._clock.monotonic() + self.patience_seconds
        while kept.asked and self._clock.monotonic() < give_up:
            self._clock.sleep(LOOK_SECONDS)
            kept = self.kept.look(name)
        return kept.picture

    def _address(self, name: str) -> str | None:
        twins = self.directory.all_known()
        if self._addresses[0] is not twins:
            named = {self.name(twin): twin.avatar_url for twin in twins.values() if twin.avatar_url}
            self._addresses = twins, named
        return self._addresses[1].get(name)

    def _fetch(self, name: str, address: str) -> None:
        shown = address.partition("?")[0]  # what follows may be secret
        try:
            self.kept.keep(name, self._fetched(address))
        except NoPicture as error:
            logger.warning("The avatar at %s is not shown: %s.", shown, error)
            self.kept.fail(name)
        except Exception:
            logger.exception("The avatar at %s could not be fetched or kept.", shown)
            self.kept.fail(name)

    def _fetched(self, address: str) -> Picture:
        if found := picture(self.client.fetch_picture(address)):
            return found
        raise NoPicture("it is no PNG, JPEG, WebP or GIF of 8 to 4,096 pixels a side")
