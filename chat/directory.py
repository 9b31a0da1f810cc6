"""The twins, as the service listed them last. A page view costs no call while the list is fresh."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from twinapi import Client, ConnectionFailed, NotFound, Twin, TwinApiError

MAX_PAGES = 20
# While the service is down, it is asked again only this often: each try may cost its time-out.
RETRY_SECONDS = 5.0
PATIENCE_SECONDS = 1.0


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
        self._fetching: threading.Thread | None = None
        self._lock = threading.Lock()

    def list(self) -> Listing:
        """Return all twins; while the service is down or slow the last list, with its age.

        Raises TwinApiError when there is no list yet.
        """
        if fetching := self._fetching_if_due():
            # Whoever has a list to look at does not wait for a service that hangs.
            fetching.join(None if self._at is None else PATIENCE_SECONDS)
        failure = self._failure
        if self._at is None:
            raise failure[1].with_traceback(None) if failure else ConnectionFailed
        twins = sorted(self._twins.values(), key=lambda twin: twin.name.casefold())
        sentence = failure[1].sentence if failure else ""
        return Listing(twins, time.monotonic() - self._at, sentence)

    def find(self, twin_id: str) -> Twin:
        """Return a twin from the list. Raises TwinApiError."""
        self.list()
        if twin_id not in self._twins:
            raise NotFound(404)
        return self._twins[twin_id]

    def known(self, twin_id: str) -> Twin | None:
        """Return a twin if it was listed before; this asks nobody."""
        return self._twins.get(twin_id)

    def _is_due(self) -> bool:
        now = time.monotonic()
        if self._failure and now - self._failure[0] < RETRY_SECONDS:
            return False
        return self._at is None or now - self._at > self.keep

    def _fetching_if_due(self) -> threading.Thread | None:
        with self._lock:
            if self._is_due() and not (self._fetching and self._fetching.is_alive()):
                self._fetching = threading.Thread(target=self._refresh, daemon=True, name="twins")
                self._fetching.start()
            return self._fetching

    def _refresh(self) -> None:
        try:
            self._twins = self._fetch()
            self._at = time.monotonic()
            self._failure = None
        except TwinApiError as error:
            self._failure = (time.monotonic(), error)

    def _fetch(self) -> dict[str, Twin]:
        found: dict[str, Twin] = {}
        for page in range(1, MAX_PAGES + 1):
            part = self.client.list_twins(page)
            known = len(found)
            found = {twin.id: twin for twin in part.items} | found
            # A service that repeats its page for ever must not be followed for ever.
            if len(found) == known or not part.more:
                break
        return found
