"""A real Chromium, watched for what a page should not do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from flask import Flask
from playwright.sync_api import Browser, BrowserContext, Page

from tests.support.chromium import WAIT_MS
from tests.support.portals import served
from tests.support.tcp_proxy import Wire, strung

# What Chromium says when a page is left, or scripts are late, before it has faded in.
INTERRUPTED = "Transition was"


class Surprises(list[str]):
    """What a page should not do: errors in its console, requests to other hosts."""


@pytest.fixture
def surprises() -> Iterator[Surprises]:
    found = Surprises()
    yield found
    assert found == []


@pytest.fixture
def forgetful(settings: dict[str, Any]) -> None:
    """Let the list of twins be asked for with every look at it."""
    settings["twins_cache"] = 0.001


@pytest.fixture
def wire(app: Flask) -> Iterator[Wire]:
    """Serve the portal behind a wire; a module's own `url` may be the wire's."""
    with served(app) as url, strung(url) as wire:
        yield wire


@pytest.fixture
def bad_network(surprises: Surprises) -> Iterator[None]:
    """Expect what a bad network writes into the console."""
    yield
    surprises.clear()


@pytest.fixture
def context(browser: Browser, url: str, surprises: Surprises) -> Iterator[BrowserContext]:
    yield from open_context(browser, url, surprises, scripts=True)


@pytest.fixture
def plain(browser: Browser, url: str, surprises: Surprises) -> Iterator[BrowserContext]:
    """Open a browser without JavaScript."""
    yield from open_context(browser, url, surprises, scripts=False)


@pytest.fixture
def phone(browser: Browser, url: str, surprises: Surprises) -> Iterator[BrowserContext]:
    """Open a browser that is touched, and whose keyboard covers half of the page."""
    yield from open_context(browser, url, surprises, scripts=True, touched=True)


def open_context(
    browser: Browser, url: str, surprises: Surprises, *, scripts: bool, touched: bool = False
) -> Iterator[BrowserContext]:
    context = browser.new_context(
        base_url=url, java_script_enabled=scripts, has_touch=touched, is_mobile=touched
    )
    context.set_default_timeout(WAIT_MS)

    def watch(page: Page) -> None:
        page.on("pageerror", lambda e: INTERRUPTED in str(e) or surprises.append(str(e)))
        page.on("console", lambda m: m.type == "error" and surprises.append(m.text))
        page.on("request", lambda r: r.url.startswith(url) or surprises.append(r.url))

    context.on("page", watch)
    yield context
    context.close()
