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
from tests.support.processes import running

SHOTS = Path(__file__).parent.parent / "docs" / "screenshots"
THEMES = ("light", "dark")
SIZES = ((360, 740), (768, 1024), (1280, 800))
QUALITY = 70
TWINS = ("ada", "marlow", "coach")
OPENING = 0
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
    """Chat with each twin, and take a picture of each page in both themes and three widths."""
    shutil.rmtree(SHOTS, ignore_errors=True)
    SHOTS.mkdir()
    with portal() as page:
        pages = PAGES | {"conversation": [talk(page, twin) for twin in TWINS][OPENING]}
        for (name, path), theme, (width, height) in product(pages.items(), THEMES, SIZES):
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=theme, reduced_motion="reduce")
            page.goto(path)
            take(page, SHOTS / f"{name}-{theme}-{width}.webp")
    total = sum(path.stat().st_size for path in SHOTS.iterdir())
    print(f"{len(list(SHOTS.iterdir()))} screenshots, {total / 1e6:.2f} MB")


@contextmanager
def portal() -> Iterator[Page]:
    """Run a portal, and open it in a browser."""
    path = chromium.path()
    with (
        tempfile.TemporaryDirectory() as data,
        running(Path(data), "app.py") as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=path, args=chromium.ARGUMENTS)
        yield browser.new_page(base_url=server.url)
        browser.close()


def talk(page: Page, twin: str) -> str:
    """Begin a conversation, and return where it is."""
    page.goto(f"/twins/{twin}")
    page.locator(".starter").nth(OPENING).click()
    expect(page.locator(".turn[data-state=complete]")).to_have_count(1, timeout=60_000)
    return page.url


def take(page: Page, path: Path) -> None:
    """Take a picture as WebP, which Playwright itself does not offer."""
    page.evaluate(chromium.DRAWN)
    session = page.context.new_cdp_session(page)
    taken = session.send("Page.captureScreenshot", {"format": "webp", "quality": QUALITY})
    path.write_bytes(base64.b64decode(taken["data"]))
    session.detach()


if __name__ == "__main__":
    main()
