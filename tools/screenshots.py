"""Retake the screenshots in docs/screenshots/: `make screenshots`."""

from __future__ import annotations

import base64
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from playwright.sync_api import Page, expect, sync_playwright

from tests.support import chromium
from tests.support.processes import run_server

SCREENSHOTS_DIR = Path(__file__).parent.parent / "docs" / "screenshots"
THEMES = ("light", "dark")
VIEWPORTS = ((360, 740), (768, 1024), (1280, 800))
WEBP_QUALITY = 70
TWINS = ("ada", "marlow", "coach")
STARTER_INDEX = 0
PAGES = {
    "gallery": "/",
    "twin": "/twins/ada",
    "conversations": "/conversations",
    "keys": "/keys",
    "preferences": "/preferences",
    "help": "/help",
    "not-found": "/nowhere",
}


def main() -> None:
    """Chat with each twin; save a screenshot of each page in both themes and three sizes."""
    shutil.rmtree(SCREENSHOTS_DIR, ignore_errors=True)
    SCREENSHOTS_DIR.mkdir()
    with open_portal() as page:
        pages = PAGES | {
            "conversation": [start_conversation(page, twin) for twin in TWINS][STARTER_INDEX]
        }
        for (name, path), theme, (width, height) in product(pages.items(), THEMES, VIEWPORTS):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.goto(path)
            save_screenshot(page, SCREENSHOTS_DIR / f"{name}-{theme}-{width}.webp")
    total = sum(path.stat().st_size for path in SCREENSHOTS_DIR.iterdir())
    print(f"{len(list(SCREENSHOTS_DIR.iterdir()))} screenshots, {total / 1e6:.2f} MB")


@contextmanager
def open_portal() -> Iterator[Page]:
    """Run a portal and open it in a browser."""
    path = chromium.find_or_install_chromium()
    with (
        tempfile.TemporaryDirectory() as data,
        run_server(Path(data), "app.py") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield browser.new_page(base_url=server.url)
        browser.close()


def start_conversation(page: Page, twin: str) -> str:
    """Start a conversation and return its URL."""
    page.goto(f"/twins/{twin}")
    page.locator(".starter").nth(STARTER_INDEX).click()
    expect(page.locator(".turn[data-state=complete]")).to_have_count(1, timeout=60_000)
    return page.url


def save_screenshot(page: Page, path: Path) -> None:
    """Save a screenshot as WebP, which Playwright itself does not offer."""
    page.evaluate(chromium.WAIT_FOR_PAINT)
    session = page.context.new_cdp_session(page)
    capture = session.send("Page.captureScreenshot", {"format": "webp", "quality": WEBP_QUALITY})
    path.write_bytes(base64.b64decode(capture["data"]))
    session.detach()


if __name__ == "__main__":
    main()
