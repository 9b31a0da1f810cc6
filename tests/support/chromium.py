"""Chromium for the browser tests: an installed one, or one installed on demand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from tests.support.packages import find_or_install, install

# The headless shell has the same engine without a user interface, and takes a third less time.
HEADLESS_SHELL = "chromium-headless-shell"
PROGRAM_NAMES = (
    HEADLESS_SHELL,
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
)
# A name of this machine for a portal over plain http. Loopback addresses count as secure.
INSECURE_HOST = "server.test"
ARGUMENTS = [
    *(["--no-sandbox"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []),
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    f"--host-resolver-rules=MAP {INSECURE_HOST} 127.0.0.1",
]
WAIT_FOR_PAINT = """() => new Promise((done) => requestAnimationFrame(() =>
  requestAnimationFrame(() => setTimeout(() => setTimeout(done)))))"""
# Factor by which Chromium's CPU is slowed down; timeouts grow with it.
SLOWDOWN = float(os.environ.get("CHROMIUM_SLOWDOWN", "1"))
WAIT_MS = 20_000 * SLOWDOWN
INSTALL_HINT = (
    "The tests need Chromium: install it (on Debian: apt-get install chromium-headless-shell; "
    "elsewhere: python -m playwright install chromium) and run them again."
)


def find_or_install_chromium() -> str:
    """Return the path of Chromium; install it if it is missing.

    Raises SystemExit with a hint if it cannot be installed.
    """
    chromium = find_or_install(_find, _install)
    if chromium is None:
        raise SystemExit(INSTALL_HINT)
    return chromium


def resize(page: Page, width: int, height: int) -> None:
    """Set the viewport size in CSS pixels and wait until the page has been repainted."""
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate(WAIT_FOR_PAINT)


def slow_down(browser: Browser, rate: float) -> None:
    """Slow down the CPU by this factor in every page opened from now on."""
    new_context = browser.new_context

    def throttle(page: Page) -> None:
        page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": rate})

    def new_slow_context(**options: Any) -> BrowserContext:
        context = new_context(**options)
        context.on("page", throttle)
        return context

    browser.new_context = new_slow_context  # type: ignore[method-assign]


def _find() -> str | None:
    installed = next((there for name in PROGRAM_NAMES if (there := shutil.which(name))), None)
    return installed or _find_playwright_chromium()


def _find_playwright_chromium() -> str | None:
    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if Path(path).exists() else None


def _install() -> None:
    if not (install(HEADLESS_SHELL) or install("chromium")):
        command = [sys.executable, "-m", "playwright", "install", "chromium"]
        subprocess.run(command, check=False)


if __name__ == "__main__":
    print(find_or_install_chromium())
