"""Retake the screenshots in docs/: `python -m tests.screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests import browser
from tests.running import running

DOCS = Path(__file__).parent.parent / "docs"
SHOTS = (("light", 1280, 800), ("dark", 1280, 800), ("light", 360, 740), ("dark", 360, 740))
OPENING = 0


def main() -> None:
    """Chat with Ada and take a picture in both themes, wide and narrow."""
    path = browser.path()
    with (
        tempfile.TemporaryDirectory() as data,
        running(Path(data), "app.py") as server,
        sync_playwright() as playwright,
    ):
        chromium = playwright.chromium.launch(executable_path=path, args=browser.ARGUMENTS)
        page = chromium.new_page(base_url=server.url)
        page.goto("/")
        page.get_by_role("link", name="Ada").click()
        page.locator(".starter").nth(OPENING).click()
        expect(page.locator(".turn[data-state=complete]")).to_have_count(1, timeout=60_000)
        for theme, width, height in SHOTS:
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(color_scheme=theme)
            page.screenshot(path=DOCS / f"conversation-{theme}-{width}.png")
        chromium.close()


if __name__ == "__main__":
    main()
