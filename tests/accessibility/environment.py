"""Page states, and the environment that reaches them: portal, scripted service and page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Request, request, request_started
from playwright.sync_api import Browser, ConsoleMessage, Page, Response

from tests.support import upstream_server
from tests.support.chromium import WAIT_MS
from tests.support.clock import AdjustableClock
from tests.support.page_steps import message_box, send_message, turn, wait_until_settled
from tests.support.person import Person, complete_first_turn
from tests.support.portals import close_portal, serve
from tests.support.upstream import UPSTREAM_KEY, Upstream
from twindow import application

QUESTION = "How does a bicycle stay upright?"


@dataclass(frozen=True)
class State:
    """A page state: the endpoints that lead to it, and the function that reaches it."""

    endpoints: tuple[str, ...]
    reach: Callable[[Environment], Page]
    settings: dict[str, Any]
    is_nightly: bool
    status: int

    @property
    def name(self) -> str:
        """Return the name of the function, used as the test id."""
        return self.reach.__name__


STATES: list[State] = []


def state(
    *endpoints: str, nightly: bool = False, status: int = 200, **settings: Any
) -> Callable[[Callable[[Environment], Page]], Callable[[Environment], Page]]:
    """Register a function that reaches a state; `settings` configure its portal.

    A `nightly` state resembles another one; only `make nightly` checks it. `status` is that of the
    response in which the browser has received the page.
    """

    def register(reach: Callable[[Environment], Page]) -> Callable[[Environment], Page]:
        STATES.append(State(endpoints, reach, settings, nightly, status))
        return reach

    return register


class SwitchableApp:
    """A WSGI application that forwards to the current portal."""

    app: Any = None

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Forward a request."""
        return self.app(environ, start_response)


class Site:
    """One URL and one browser page for the portals of all states.

    A browser context for each state would take five times as long.
    """

    def __init__(self, url: str, page: Page, switch: SwitchableApp) -> None:
        self.url = url
        self.page = page
        self.switch = switch
        self._reset_page()

    @contextmanager
    def open_state(self, state: State, data_dir: Path) -> Iterator[Environment]:
        """Bring the page into a state; clean up afterwards."""
        with ExitStack() as stack:
            upstream = stack.enter_context(upstream_server.run_upstream())
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            settings = {"api_url": upstream.url, "api_key": UPSTREAM_KEY, "data_dir": data_dir}
            app = self.switch.app = application.create_app(
                settings | state.settings, clock=AdjustableClock()
            )
            stack.callback(close_portal, app)
            stack.callback(upstream.close_calls)
            stack.callback(self._clean_up)
            env = Environment(app, self.url, upstream, self.page, patch)
            for name, record in (("console", env.record_console), ("response", env.record_status)):
                self.page.on(name, record)  # type: ignore[call-overload]
                stack.callback(self.page.remove_listener, name, record)
            assert state.reach(env) is self.page
            # A page that streams without JavaScript does not finish loading before its reply ends.
            if "follow" not in self.page.url:
                self.page.wait_for_load_state()
            yield env

    def _clean_up(self) -> None:
        self.page.context.set_offline(False)
        self.page.context.set_extra_http_headers({})
        self.page.context.unroute_all()
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.goto("about:blank")
        self.page.context.clear_cookies()
        self._reset_page()

    def _reset_page(self) -> None:
        # Without reduced motion, view transitions delay each page.
        self.page.emulate_media(color_scheme="light", forced_colors="none", reduced_motion="reduce")
        self.page.set_viewport_size({"width": 1280, "height": 800})


@contextmanager
def run_site(browser: Browser) -> Iterator[Site]:
    """Serve a switchable application and open a page."""
    switch = SwitchableApp()
    with serve(switch) as url:
        context = browser.new_context(base_url=url)
        context.set_default_timeout(WAIT_MS)
        yield Site(url, context.new_page(), switch)
        context.close()


class Environment:
    """The portal of one state, its scripted service, and the page that shows it."""

    def __init__(
        self, app: Flask, url: str, upstream: Upstream, page: Page, patch: pytest.MonkeyPatch
    ) -> None:
        self.app = app
        self.url = url
        self.upstream = upstream
        self.page = page
        self.patch = patch
        self.endpoints: set[str] = set()
        self.console_messages: list[str] = []
        self.status = 0
        request_started.connect(self._record_endpoint, app)

    def open(self, path: str) -> Page:
        """Open a page, and wait until its scripts have run."""
        self.page.goto(path)
        wait_until_settled(self.page)
        return self.page

    def open_in_language(self, language: str, path: str) -> Page:
        """Open a page as a browser with this language."""
        self.page.context.set_extra_http_headers({"Accept-Language": language})
        return self.open(path)

    def send_first_message(self, content: str = QUESTION) -> Page:
        """Send the first message to Ada; the call to the upstream stays unanswered."""
        page = self.open("/twins/ada")
        send_message(page, content)
        turn(page, "waiting").wait_for()
        return page

    def open_conversation(self, reply: str, content: str = QUESTION) -> Page:
        """Open a conversation with Ada that has one complete turn."""
        with self.act_as_person() as person:
            path = complete_first_turn(person, self.upstream, content, reply).path
        return self.open(path)

    @contextmanager
    def act_as_person(self) -> Iterator[Person]:
        """Let a person act over HTTP, then copy the session cookie to the browser."""
        person = Person(self.url)
        yield person
        cookie = person.session.cookies["twindow"]
        person.close()
        self.page.context.add_cookies([{"name": "twindow", "value": cookie, "url": self.url}])

    def submit_without_script(self, content: str) -> None:
        """Submit a message as a browser without JavaScript does."""
        message_box(self.page).fill(content)
        self.page.locator(".composer form").evaluate("form => form.submit()")

    def block_scripts(self) -> None:
        """Block requests for the portal's scripts."""
        self.page.context.route("**/static/**/*.js", lambda route: route.abort())

    def record_console(self, message: ConsoleMessage) -> None:
        """Record a console message."""
        self.console_messages.append(message.text)

    def record_status(self, response: Response) -> None:
        """Record the status of a page."""
        if response.request.is_navigation_request():
            self.status = response.status

    def _record_endpoint(self, _: Flask, **__: Any) -> None:
        current_request: Request = request
        self.endpoints.add(current_request.endpoint or "")
