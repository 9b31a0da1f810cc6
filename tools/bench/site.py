"""A chat site that is measured, whoever made it: where to write, and where its replies stand."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    sync_playwright,
)

from tests.support import chromium as installed
from tools.bench.meter import WATCH
from tools.bench.servers import Serving

WAIT_MS = 30_000
READING_MS = 3_000
# Whatever a page asks of other hosts fails at once: here is only this machine.
ALONE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"


@dataclass(frozen=True)
class Site:
    """Where things are. `composer`, `reply` and `whole` (a reply that has ended) are selectors."""

    name: str
    serving: Serving
    path: str
    composer: str
    reply: str
    whole: str

    @property
    def url(self) -> str:
        """Return the address of the first chat page."""
        return self.serving.url + self.path

    def open(self, page: Page) -> None:
        """Open the first chat page, and look at it as long as a person does: some need that."""
        page.goto(self.url)
        page.locator(self.composer).wait_for()
        page.wait_for_timeout(READING_MS)

    def say(self, page: Page, words: str) -> None:
        """Write something and send it."""
        page.locator(self.composer).fill(words)
        page.locator(self.composer).press("Enter")


class Told:
    """What `watch.js` has told of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.shown = 0
        self.ended_at: float | None = None
        page.on("console", self._note)

    def expect(self, site: Site, end: str, after: float = 0) -> None:
        """Look out for a last reply with this end, from so many seconds on."""
        self.ended_at = None
        wanted = {"whole": site.whole, "end": end, "after": after}
        self.page.evaluate("wanted => bench.wait(wanted)", wanted)

    def wait(self, seconds: float) -> float | None:
        """Return when it was there, by the clock of this machine; None if it was not in time."""
        give_up = time.monotonic() + seconds
        while self.ended_at is None and time.monotonic() < give_up:
            self.page.wait_for_timeout(50)
        return self.ended_at

    def _note(self, message: ConsoleMessage) -> None:
        match message.text.split():
            case ["bench", "shown", number]:
                self.shown = int(number)
            case ["bench", "ended", seconds]:
                self.ended_at = float(seconds)


def twindow(serving: Serving) -> Site:
    """Return Twindow, seen so."""
    reply = ".turn .turn__reply"
    whole = ".turn[data-state=complete] .turn__reply"
    return Site("twindow", serving, "/twins/ada", "#message", reply, whole)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start a real Chromium."""
    path = installed.path()
    with sync_playwright() as playwright:
        arguments = [*installed.ARGUMENTS, ALONE]
        started = playwright.chromium.launch(executable_path=path, args=arguments)
        yield started
        started.close()


@contextmanager
def person(started: Browser, *, until: str = "false") -> Iterator[BrowserContext]:
    """Give somebody a browser of their own; each page notes when `until` is true first."""
    context = started.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    context.add_init_script(f"{WATCH}\nbench.until(() => document.body && ({until}));")
    yield context
    with suppress(Error):  # a page that was ended
        context.close()


@contextmanager
def patience(started: Browser, seconds: float) -> Iterator[None]:
    """End the pages that do not answer for so long, so that whoever asks them gets an error."""
    timer = threading.Timer(seconds, _end, [_renderers(started)])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _renderers(started: Browser) -> list[int]:
    session = started.new_browser_cdp_session()
    told = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return [int(process["id"]) for process in told if process["type"] == "renderer"]


def _end(processes: list[int]) -> None:
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
