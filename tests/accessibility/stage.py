"""A stage for one state of a page: a portal in front of a scripted service, and a browser."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, Request, request, request_started
from playwright.sync_api import Browser, ConsoleMessage, Page

import app as twindow
from tests.journeys.steps import say, turn
from tests.support import upstream_server
from tests.support.person import Person, say_and_hear
from tests.support.portals import close, served
from tests.support.upstream import KEY, Upstream

WAIT_MS = 10_000


@dataclass(frozen=True)
class State:
    """A state of a page: how to get there, and the endpoint of the portal that shows it."""

    endpoint: str
    reach: Callable[[Stage], Page]
    settings: dict[str, Any]

    @property
    def name(self) -> str:
        """Return its name, as it stands in the names of tests."""
        return self.reach.__name__


STATES: list[State] = []


def state(
    endpoint: str, **settings: Any
) -> Callable[[Callable[[Stage], Page]], Callable[[Stage], Page]]:
    """Put a function that reaches a state into the table; the settings are the portal's."""

    def keep(reach: Callable[[Stage], Page]) -> Callable[[Stage], Page]:
        STATES.append(State(endpoint, reach, settings))
        return reach

    return keep


class House:
    """An address and a page that stay, whichever portal is behind them: that is five times as quick
    as a browser of its own for each."""

    def __init__(self, url: str, page: Page, door: Door) -> None:
        self.url = url
        self.page = page
        self.door = door
        self._reset_media()

    @contextmanager
    def staged(self, state: State, data: Path) -> Iterator[Stage]:
        """Bring the page into a state; nothing is left of the one before."""
        with ExitStack() as stack:
            upstream = stack.enter_context(upstream_server.running())
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            settings = {"api_url": upstream.url, "api_key": KEY, "data_dir": data}
            app = self.door.app = twindow.create_app(settings | state.settings)
            stack.callback(close, app)
            stack.callback(upstream.release)
            stack.callback(self._leave)
            stage = Stage(app, self.url, upstream, self.page, patch)
            self.page.on("console", stage.note_console)
            stack.callback(self.page.remove_listener, "console", stage.note_console)
            assert state.reach(stage) is self.page
            # A page that is sent while its reply is written is not loaded before its end.
            if "follow" not in self.page.url:
                self.page.wait_for_load_state()
            yield stage

    def _leave(self) -> None:
        self.page.context.set_offline(False)
        self.page.context.set_extra_http_headers({})
        self.page.context.unroute_all()
        self.page.evaluate("localStorage.clear(); sessionStorage.clear()")
        self.page.goto("about:blank")
        self.page.context.clear_cookies()
        self._reset_media()

    def _reset_media(self) -> None:
        # Pages that fade into each other would take their time.
        self.page.emulate_media(color_scheme="light", forced_colors="none", reduced_motion="reduce")
        self.page.set_viewport_size({"width": 1280, "height": 800})


class Door:
    """What is served: always the portal of now."""

    app: Any = None

    def __call__(self, environ: Any, start_response: Any) -> Any:
        """Answer a request."""
        return self.app(environ, start_response)


@contextmanager
def house(browser: Browser) -> Iterator[House]:
    """Open the door, and a page before it."""
    door = Door()
    with served(door) as url:
        context = browser.new_context(base_url=url)
        context.set_default_timeout(WAIT_MS)
        yield House(url, context.new_page(), door)
        context.close()


class Stage:
    """One portal, its service, and one person's browser."""

    def __init__(
        self, app: Flask, url: str, upstream: Upstream, page: Page, patch: pytest.MonkeyPatch
    ) -> None:
        self.app = app
        self.url = url
        self.upstream = upstream
        self.page = page
        self.patch = patch
        self.endpoints: set[str] = set()
        self.console: list[str] = []
        request_started.connect(self._note_endpoint, app)

    def open(self, path: str) -> Page:
        """Open a page."""
        self.page.goto(path)
        return self.page

    def talk(self, words: str = "How does a bicycle stay upright?") -> Page:
        """Say something to Ada for the first time; the service has not answered yet."""
        page = self.open("/twins/ada")
        say(page, words)
        turn(page, "waiting").wait_for()
        return page

    def heard(self, reply: str, words: str = "How does a bicycle stay upright?") -> Page:
        """Open a conversation with Ada that has one complete turn."""
        with self.somebody() as person:
            path = say_and_hear(person, self.upstream, words, reply).path
        return self.open(path)

    @contextmanager
    def somebody(self) -> Iterator[Person]:
        """Be the person of this browser, but quicker: without a page."""
        person = Person(self.url)
        yield person
        cookie = person.session.cookies["twindow"]
        person.close()
        self.page.context.add_cookies([{"name": "twindow", "value": cookie, "url": self.url}])

    def without_script(self) -> None:
        """Let the script be lost on its way from now on."""
        self.page.context.route("**/twindow.*.js", lambda route: route.abort())

    def note_console(self, message: ConsoleMessage) -> None:
        """Keep a message of the console."""
        self.console.append(message.text)

    def _note_endpoint(self, _: Flask, **__: Any) -> None:
        asked: Request = request
        self.endpoints.add(asked.endpoint or "")
