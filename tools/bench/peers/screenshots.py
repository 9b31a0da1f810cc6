"""Screenshots of the same conversation on each site."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser

from tools.bench.chat_site import PageWatcher, Site, open_browser_context

Theme = Literal["light", "dark"]

VIEWPORTS: tuple[tuple[Theme, int, int], ...] = (
    ("light", 1280, 800),
    ("dark", 1280, 800),
    ("light", 390, 844),
)
QUESTION = "How does a bicycle stay upright?"
# The last words of the sample reply.
REPLY_END = "how bicycles balance"
SETTLE_MS = 1_500
REPLY_TIMEOUT_SECONDS = 30


def take_screenshots(browser: Browser, sites: Sequence[Site], folder: Path) -> None:
    """Save a screenshot of each site, and one of all sites side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme, width, height in VIEWPORTS:
        images = [_take_screenshot(browser, site, theme, width, height) for site in sites]
        for site, image in zip(sites, images, strict=True):
            (folder / f"{site.name}-{theme}-{width}.png").write_bytes(image)
        comparison = _side_by_side(browser, images, width, height)
        (folder / f"beside-{theme}-{width}.png").write_bytes(comparison)


def _take_screenshot(browser: Browser, site: Site, theme: Theme, width: int, height: int) -> bytes:
    with open_browser_context(browser) as context:
        # Chainlit ignores the colour scheme of the system.
        context.add_init_script(f"localStorage.setItem('vite-ui-theme', '{theme}')")
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        watcher = PageWatcher(page)
        site.open(page)
        site.send_message(page, QUESTION)
        page.locator(site.reply).first.wait_for()
        watcher.expect_reply_end(site, REPLY_END)
        watcher.wait_for_end(REPLY_TIMEOUT_SECONDS)
        page.wait_for_timeout(SETTLE_MS)
        return page.screenshot()


def _side_by_side(browser: Browser, images: Sequence[bytes], width: int, height: int) -> bytes:
    img_tags = "".join(
        f'<img width="{width}" src="data:image/png;base64,{base64.b64encode(image).decode()}">'
        for image in images
    )
    page = browser.new_page(viewport={"width": (width + 8) * len(images), "height": height})
    page.set_content(f'<body style="margin:0;display:flex;gap:8px;background:gray">{img_tags}')
    image = page.screenshot()
    page.close()
    return image
