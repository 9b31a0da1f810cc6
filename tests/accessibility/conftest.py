"""One page and one address for all states."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.accessibility.inspection import Inspector
from tests.accessibility.stage import House, house


@pytest.fixture(scope="package")
def one_house(browser: Browser) -> Iterator[House]:
    """Open one page for all states."""
    with house(browser) as opened:
        yield opened


@pytest.fixture(scope="package")
def inspector() -> Inspector:
    """Remember what was checked."""
    return Inspector()
