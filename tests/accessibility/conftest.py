"""Fixtures shared by all states: one browser page and one inspector."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser

from tests.accessibility.environment import Site, run_site
from tests.accessibility.inspection import Inspector


@pytest.fixture(scope="package")
def site(browser: Browser) -> Iterator[Site]:
    """Open one browser page for all states."""
    with run_site(browser) as site:
        yield site


@pytest.fixture(scope="package")
def inspector() -> Inspector:
    """Create the inspector, which remembers what it has checked in the dark theme."""
    return Inspector()
