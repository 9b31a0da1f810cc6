"""Request bodies that are slow to arrive."""

from __future__ import annotations

import logging
import math

import gevent
import pytest
from gunicorn.http.errors import NoMoreData

from core.client_connections import BodyReader

logger = logging.getLogger(__name__)
TIMEOUT_SECONDS = 0.1


class SlowClient:
    """A client that pauses before it sends each byte."""

    def __init__(self, pause_seconds: float) -> None:
        self.pause_seconds = pause_seconds

    def read(self, size: int) -> bytes:
        gevent.sleep(self.pause_seconds)
        return b"x" * min(size, 1)


@pytest.mark.limit("L57")
@pytest.mark.parametrize(
    "pause_seconds", [TIMEOUT_SECONDS / 10, 10 * TIMEOUT_SECONDS], ids=["trickling", "silent"]
)
def test_body_is_truncated_at_its_deadline(pause_seconds: float):
    reader = BodyReader(SlowClient(pause_seconds), logger, TIMEOUT_SECONDS)
    body = b""

    with pytest.raises(NoMoreData):
        while len(body) < 100:
            body += reader.read(100)

    with pytest.raises(NoMoreData):  # the deadline also applies to later reads
        reader.read(100)


def test_timeout_of_the_caller_is_raised_while_a_body_is_read():
    reader = BodyReader(SlowClient(math.inf), logger, 10)

    with pytest.raises(gevent.Timeout), gevent.Timeout(0.01):
        reader.read(100)
