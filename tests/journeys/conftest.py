"""Chromium fixtures that report the errors of a page and its requests to other hosts."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.chromium import WAIT_MS
from tests.support.portals import serve
from tests.support.tcp_proxy import TcpProxy, run_tcp_proxy

# Chromium's error if it skips a view transition, because the page is left or a script is late.
TRANSITION_SKIPPED = "Transition was"


class PageErrors(list[str]):
    """Errors of a page: exceptions, console errors and requests to other hosts."""


@pytest.fixture
def page_errors() -> Iterator[PageErrors]:
    errors = PageErrors()
    yield errors
    assert errors == []


@pytest.fixture
def tcp_proxy(app: Flask) -> Iterator[TcpProxy]:
    """Serve the portal behind a TCP proxy; to use the proxy, a module overrides `url`."""
    with serve(app) as url, run_tcp_proxy(url) as tcp_proxy:
        yield tcp_proxy


@pytest.fixture
def bad_network(page_errors: PageErrors) -> Iterator[None]:
    """Ignore the console errors that a bad network causes."""
    yield
    page_errors.clear()


@pytest.fixture
def context(browser: Browser, url: str, page_errors: PageErrors) -> Iterator[BrowserContext]:
    yield from open_context(browser, url, page_errors, has_javascript=True)


@pytest.fixture
def noscript_context(
    browser: Browser, url: str, page_errors: PageErrors
) -> Iterator[BrowserContext]:
    """Open a browser without JavaScript."""
    yield from open_context(browser, url, page_errors, has_javascript=False)


@pytest.fixture
def phone(browser: Browser, url: str, page_errors: PageErrors) -> Iterator[BrowserContext]:
    """Open a touch browser, as on a phone whose keyboard covers half of the page."""
    yield from open_context(browser, url, page_errors, has_javascript=True, has_touch=True)


def open_context(
    browser: Browser,
    url: str,
    page_errors: PageErrors,
    *,
    has_javascript: bool,
    has_touch: bool = False,
) -> Iterator[BrowserContext]:
    context = browser.new_context(
        base_url=url, java_script_enabled=has_javascript, has_touch=has_touch, is_mobile=has_touch
    )
    context.set_default_timeout(WAIT_MS)

    def record_errors(page: Page) -> None:
        page.on("pageerror", lambda e: TRANSITION_SKIPPED in str(e) or page_errors.append(str(e)))
        page.on("console", lambda m: m.type == "error" and page_errors.append(m.text))
        page.on("request", lambda r: r.url.startswith(url) or page_errors.append(r.url))

    context.on("page", record_errors)
    yield context
    context.close()
