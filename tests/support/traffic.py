"""Requests of a page: recorded, delayed or dropped."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Page, Request, Route

from tests.support.chromium import WAIT_MS

STREAM_URL = re.compile(r"/turns/[\w-]+/events")
CONVERSATION_URL = re.compile(r"/conversations/[\w-]{22}(?:[?#].*)?$")
FORM_URL = re.compile(r"/(turns|conversations)$")


class DelayedRequest:
    """The next request to a URL, delayed until the test releases or aborts it."""

    def __init__(self, page: Page, url: str | re.Pattern[str]) -> None:
        self._page = page
        self._routes: list[Route] = []
        # The route stays, because Playwright turns interception off when the last one has expired.
        page.route(url, self._hold)

    def release(self) -> None:
        """Wait for the request, then let it continue."""
        self._wait().continue_()

    def abort(self) -> None:
        """Wait for the request, then let it fail."""
        self._wait().abort()

    def _hold(self, route: Route) -> None:
        if self._routes:
            route.fallback()
        else:
            self._routes.append(route)

    def _wait(self) -> Route:
        wait_on_page(self._page, lambda: self._routes)
        return self._routes[0]


def wait_on_page(page: Page, condition: Callable[[], object]) -> None:
    """Let the page run until the condition is true; fail after `WAIT_MS`."""
    deadline = time.monotonic() + WAIT_MS / 1000
    while not condition():
        assert time.monotonic() < deadline, "it did not happen in time"
        page.wait_for_timeout(1)


def record_requests(page: Page, is_wanted: Callable[[Request], object]) -> list[Request]:
    """Return a list that grows with every matching request."""
    recorded: list[Request] = []
    page.on("request", lambda request: is_wanted(request) and recorded.append(request))
    return recorded


def is_stream_request(request: Request) -> bool:
    """Return whether a request opens the event stream of a reply."""
    return bool(STREAM_URL.search(request.url))


def is_post(request: Request) -> bool:
    """Return whether a request submits a form."""
    return request.method == "POST"


def drop_next_response(page: Page) -> None:
    """Let the next form submission reach the portal, but drop the response.

    Playwright forwards the submission only while the test waits for the page, so wait for the page
    before you call `next_call`.
    """

    def lose(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    page.route(FORM_URL, lose, times=1)
