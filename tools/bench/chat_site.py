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
from tools.bench.page_meter import WATCH_SCRIPT
from tools.bench.servers import ServerProcess

TIMEOUT_MS = 30_000
READING_PAUSE_MS = 3_000
# Whatever a page asks of other hosts fails at once: here is only this machine.
LOOPBACK_ONLY = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost"


@dataclass(frozen=True)
class Site:
    """Where things are. `composer`, `reply` and `whole` (a reply that has ended) are selectors."""

    name: str
    server: ServerProcess
    path: str
    composer: str
    reply: str
    ended_reply: str

    @property
    def url(self) -> str:
        """Return the address of the first chat page."""
        return self.server.url + self.path

    def open(self, page: Page) -> None:
        """Open the first chat page, and look at it as long as a person does: some need that."""
        page.goto(self.url)
        page.locator(self.composer).wait_for()
        page.wait_for_timeout(READING_PAUSE_MS)

    def send_message(self, page: Page, content: str) -> None:
        """Write something and send it."""
        page.locator(self.composer).fill(content)
        page.locator(self.composer).press("Enter")


class PageWatcher:
    """What `watch.js` has told of a page."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.shown_marker = 0
        self.ended_at: float | None = None
        page.on("console", self._on_console)

    def expect_reply_end(self, site: Site, end: str, after: float = 0) -> None:
        """Look out for a last reply with this end, from so many seconds on."""
        self.ended_at = None
        options = {"whole": site.ended_reply, "end": end, "after": after}
        self.page.evaluate("wanted => bench.wait(wanted)", options)

    def wait_for_end(self, seconds: float) -> float | None:
        """Return when it was there, by the clock of this machine; None if it was not in time."""
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
    """Return Twindow, seen so."""
    reply = ".turn .turn__reply"
    ended_reply = ".turn[data-state=complete] .turn__reply"
    return Site("twindow", server, "/twins/ada", "#message", reply, ended_reply)


@contextmanager
def launch_chromium() -> Iterator[Browser]:
    """Start a real Chromium."""
    path = installed.find_or_install_chromium()
    with sync_playwright() as playwright:
        arguments = [*installed.ARGUMENTS, LOOPBACK_ONLY]
        browser = playwright.chromium.launch(executable_path=path, args=arguments)
        yield browser
        browser.close()


@contextmanager
def open_browser_context(browser: Browser, *, condition: str = "false") -> Iterator[BrowserContext]:
    """Give somebody a browser of their own; each page notes when `until` is true first."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.set_default_timeout(TIMEOUT_MS)
    context.add_init_script(f"{WATCH_SCRIPT}\nbench.until(() => document.body && ({condition}));")
    yield context
    with suppress(Error):  # a page that was ended
        context.close()


@contextmanager
def kill_unresponsive_pages(browser: Browser, seconds: float) -> Iterator[None]:
    """End the pages that do not answer for so long, so that whoever asks them gets an error."""
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
