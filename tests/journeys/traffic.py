"""What the page sends, and ways to hold it back."""

from __future__ import annotations

import re
import time
from collections.abc import Callable

from playwright.sync_api import Page, Request, Route

from tests.support.chromium import WAIT_MS

STREAMS = re.compile(r"/turns/[\w-]+/events")
CONVERSATION = re.compile(r"/conversations/[\w-]{22}(?:[?#].*)?$")
FORMS = re.compile(r"/(turns|conversations)$")


class Held:
    """The next such request, kept until the test lets it go on."""

    def __init__(self, page: Page, what: str | re.Pattern[str]) -> None:
        self._page = page
        self._routes: list[Route] = []
        page.route(what, lambda route: self._routes.append(route), times=1)

    def release(self) -> None:
        """Let it go on, as soon as it is there."""
        until(self._page, lambda: self._routes)
        self._routes[0].continue_()


def until(page: Page, there: Callable[[], object]) -> None:
    """Take in what happens to a page until something is there."""
    give_up = time.monotonic() + WAIT_MS / 1000
    while not there():
        assert time.monotonic() < give_up, "it did not happen in time"
        page.wait_for_timeout(1)


def requests_of(page: Page, wanted: Callable[[Request], object]) -> list[Request]:
    """Return a list that grows with every request that is wanted."""
    seen: list[Request] = []
    page.on("request", lambda request: wanted(request) and seen.append(request))
    return seen


def is_stream(request: Request) -> bool:
    """Tell whether a request follows a reply."""
    return bool(STREAMS.search(request.url))


def is_post(request: Request) -> bool:
    """Tell whether a request sends a form."""
    return request.method == "POST"


def lose_the_next_answer(page: Page) -> None:
    """Let the next form reach the portal, and its answer nobody."""

    def lose(route: Route) -> None:
        route.fetch(max_redirects=0)
        route.abort()

    page.route(FORMS, lose, times=1)
