"""The twins, as the service listed them last. A page view costs no call while the list is fresh."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from twinapi import Client, NotFound, Twin, TwinApiError

MAX_PAGES = 20
# While the service is down, it is asked again only this often: each try may cost its time-out.
RETRY_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Listing:
    """The twins, how many seconds old the list is, and why it is not fresh, if it is not."""

    twins: Sequence[Twin]
    age: float = 0
    sentence: str = ""


class Directory:
    """List and find twins; `keep` is how many seconds a list is fresh."""

    def __init__(self, client: Client, *, keep: float) -> None:
        self.client = client
        self.keep = keep
        self._twins: dict[str, Twin] = {}
        self._at: float | None = None
        self._failure: tuple[float, TwinApiError] | None = None
        self._lock = threading.Lock()

    def list(self) -> Listing:
        """Return all twins; while the service is down the last list, with its age.

        Raises TwinApiError when there is no list yet.
        """
        with self._lock:
            if self._at is None or time.monotonic() - self._at > self.keep:
                self._try_to_fetch()
            if self._at is None and self._failure:
                raise self._failure[1]
            age = time.monotonic() - (self._at or 0)
            return Listing(self._listed(), age, self._failure[1].sentence if self._failure else "")

    def find(self, twin_id: str) -> Twin:
        """Return a twin, from the list where it is in it. Raises TwinApiError."""
        self.list()
        if twin_id not in self._twins:
            raise NotFound(404)
        return self._twins[twin_id]

    def known(self, twin_id: str) -> Twin | None:
        """Return a twin if it was listed before; this asks nobody."""
        return self._twins.get(twin_id)

    def _try_to_fetch(self) -> None:
        if self._failure and time.monotonic() - self._failure[0] < RETRY_SECONDS:
            return
        try:
            self._fetch()
            self._failure = None
        except TwinApiError as error:
            self._failure = (time.monotonic(), error)

    def _fetch(self) -> None:
        found: dict[str, Twin] = {}
        for page in range(1, MAX_PAGES + 1):
            part = self.client.list_twins(page)
            fresh = {twin.id: twin for twin in part.items} | found
            # A service that repeats its page for ever must not be followed for ever.
            if len(fresh) == len(found) or not part.more:
                found = fresh
                break
            found = fresh
        self._twins, self._at = found, time.monotonic()

    def _listed(self) -> Sequence[Twin]:
        return sorted(self._twins.values(), key=lambda twin: twin.name.casefold())
