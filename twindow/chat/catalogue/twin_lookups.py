"""Requests for single twins, limited because any page view can cause one."""

from __future__ import annotations

from twindow.chat.schema import counters
from twindow.core.db.counters import HOUR_SECONDS, Counters, Limit, LimitReached
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.twinapi import Client, NotFound, Twin

MAX_REQUESTS_PER_HOUR = 60


class LookupRefused(NotFound):
    """Raised for a twin that may exist, but is not requested."""


class TwinLookups:
    """Single twins of the service.

    An answer is remembered for an hour, even if the answer is that the twin does not exist.
    """

    def __init__(self, client: Client, database: Database) -> None:
        self._client = client
        self._database = database
        self._counters = Counters(counters)
        # By id: the time of the request, and the answer.
        self._answers: dict[str, tuple[float, Twin | None]] = {}

    def find(self, twin_id: str) -> Twin:
        """Return a twin from the remembered answers, or request the twin.

        Raises TwinApiError. Raises LookupRefused if all processes together have made
        `MAX_REQUESTS_PER_HOUR` requests in this hour, or while the database is unavailable.
        """
        now = self._database.clock.monotonic()
        for id_, (asked_at, _) in list(self._answers.items()):
            if now - asked_at >= HOUR_SECONDS:
                self._answers.pop(id_, None)
        if not (answer := self._answers.get(twin_id)):
            self._count_request()
            answer = self._answers[twin_id] = now, self._request(twin_id)
        _, twin = answer
        if twin is None:
            raise NotFound(404)
        return twin

    def _count_request(self) -> None:
        limit = Limit("single twins", "", HOUR_SECONDS, MAX_REQUESTS_PER_HOUR)
        try:
            with self._database.write() as connection:
                self._counters.count(connection, [limit], self._database.now(connection))
        except (LimitReached, DatabaseUnavailable):
            raise LookupRefused(404) from None

    def _request(self, twin_id: str) -> Twin | None:
        try:
            return self._client.get_twin(twin_id)
        except NotFound:
            return None
