"""Fixtures that all states share: one page at one address, and one inspector."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.accessibility.environment import Site, run_site
from tests.accessibility.inspection import Inspector


@pytest.fixture(scope="package")
def site(browser: Browser) -> Iterator[Site]:
    """Open one page for all states."""
    with run_site(browser) as site:
        yield site


@pytest.fixture(scope="package")
def inspector() -> Inspector:
    """Remember what was checked in the dark theme."""
    return Inspector()
