"""A chat site that is measured: its selectors, its pages, and the detection of reply ends."""

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
from tools.bench.page_meter import WATCH_SCRIPT
from tools.bench.servers import ServerProcess

TIMEOUT_MS = 30_000
READING_PAUSE_MS = 3_000
# Requests to other hosts fail at once: only this machine takes part.
LOOPBACK_ONLY = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"


@dataclass(frozen=True)
class Site:
    """A chat site: its server, its path and its selectors.

    `ended_reply` selects replies that have ended.
    """

    name: str
    server: ServerProcess
    path: str
    composer: str
    reply: str
    ended_reply: str

    @property
    def url(self) -> str:
        """Return the URL of the first chat page."""
        return self.server.url + self.path

    def open(self, page: Page) -> None:
        """Open the first chat page, and pause like a reader, because some sites need the pause."""
        page.goto(self.url)
        page.locator(self.composer).wait_for()
        page.wait_for_timeout(READING_PAUSE_MS)

    def send_message(self, page: Page, content: str) -> None:
        """Type a message and press Enter."""
        page.locator(self.composer).fill(content)
        page.locator(self.composer).press("Enter")


class PageWatcher:
    """What `watch.js` has reported about a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.shown_marker = 0
        self.ended_at: float | None = None
        page.on("console", self._on_console)

    def expect_reply_end(self, site: Site, end: str, after: float = 0) -> None:
        """Let the page report when its last reply contains `end`.

        The page begins to look for the end after `after` seconds.
        """
        self.ended_at = None
        options = {"whole": site.ended_reply, "end": end, "after": after}
        self.page.evaluate("wanted => bench.wait(wanted)", options)

    def wait_for_end(self, seconds: float) -> float | None:
        """Return the Unix time of the reply's end, or None if there is no end within `seconds`."""
        deadline = time.monotonic() + seconds
        while self.ended_at is None and time.monotonic() < deadline:
            self.page.wait_for_timeout(50)
        return self.ended_at

    def _on_console(self, message: ConsoleMessage) -> None:
        match message.text.split():
            case ["bench", "shown", number]:
                self.shown_marker = int(number)
            case ["bench", "ended", seconds]:
                self.ended_at = float(seconds)


def twindow(server: ServerProcess) -> Site:
    """Return Twindow as a site."""
    reply = ".turn .turn__reply"
    ended_reply = ".turn[data-state=complete] .turn__reply"
    return Site("twindow", server, "/twins/ada", "#message", reply, ended_reply)


@contextmanager
def launch_chromium() -> Iterator[Browser]:
    """Launch Chromium."""
    path = installed.find_or_install_chromium()
    with sync_playwright() as playwright:
        arguments = [*installed.ARGUMENTS, LOOPBACK_ONLY]
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@contextmanager
def open_browser_context(browser: Browser, *, condition: str = "false") -> Iterator[BrowserContext]:
    """Open a browser context; each page records when the JS `condition` is first true."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(TIMEOUT_MS)
    context.add_init_script(f"{WATCH_SCRIPT}\nbench.until(() => document.body && ({condition}));")
    yield context
    with suppress(Error):  # the page was killed
        context.close()


@contextmanager
def kill_unresponsive_pages(browser: Browser, seconds: float) -> Iterator[None]:
    """Kill the browser's pages if the `with` block runs for `seconds`; page calls then fail."""
    timer = threading.Timer(seconds, _kill_processes, [_renderer_pids(browser)])
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _renderer_pids(browser: Browser) -> list[int]:
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return [int(process["id"]) for process in processes if process["type"] == "renderer"]


def _kill_processes(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
