"""A client connected to the scripted service."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.upstream import UPSTREAM_KEY, Upstream
from twindow.twinapi import Client


@pytest.fixture
def client(upstream: Upstream) -> Iterator[Client]:
    client = Client(upstream.url, UPSTREAM_KEY)
    yield client
    client.close()


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor() as pool:
        yield pool
