"""Firefox and WebKit as fixtures."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from selenium.webdriver.remote.webdriver import WebDriver

from tests.support.engines import run_firefox, run_webkit

WIDE = (1280, 800)


@pytest.fixture(scope="session")
def firefox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """Run Firefox."""
    with run_firefox(tmp_path_factory.mktemp("firefox")) as driver:
        yield driver


@pytest.fixture(scope="session")
def webkit(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebDriver]:
    """Run WebKit."""
    with run_webkit(tmp_path_factory.mktemp("webkit")) as driver:
        yield driver


@pytest.fixture(params=["firefox", "webkit"])
def driver(request: pytest.FixtureRequest) -> WebDriver:
    """Return a browser with a wide window: once Firefox, once WebKit."""
    driver: WebDriver = request.getfixturevalue(request.param)
    driver.delete_all_cookies()
    driver.set_window_size(*WIDE)
    return driver
