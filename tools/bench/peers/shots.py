"""The same conversation in each, as people see it."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser

from tools.bench.site import Site, Told, person

Theme = Literal["light", "dark"]

SHOTS: tuple[tuple[Theme, int, int], ...] = (
    ("light", 1280, 800),
    ("dark", 1280, 800),
    ("light", 390, 844),
)
QUESTION = "How does a bicycle stay upright?"
LAST_WORDS = "how bicycles balance"  # of the service's sample
SETTLED_MS = 1_500
ANSWER_SECONDS = 30


def taken(browser: Browser, sites: Sequence[Site], folder: Path) -> None:
    """Take a picture of each site, and one of all beside each other."""
    folder.mkdir(parents=True, exist_ok=True)
    for theme, width, height in SHOTS:
        pictures = [_taken(browser, site, theme, width, height) for site in sites]
        for site, picture in zip(sites, pictures, strict=True):
            (folder / f"{site.name}-{theme}-{width}.png").write_bytes(picture)
        beside = _beside(browser, pictures, width, height)
        (folder / f"beside-{theme}-{width}.png").write_bytes(beside)


def _taken(browser: Browser, site: Site, theme: Theme, width: int, height: int) -> bytes:
    with person(browser) as context:
        # Chainlit does not ask the system which theme is wanted.
        context.add_init_script(f"localStorage.setItem('vite-ui-theme', '{theme}')")
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme)
        told = Told(page)
        site.open(page)
        site.say(page, QUESTION)
        page.locator(site.reply).first.wait_for()
        told.expect(site, LAST_WORDS)
        told.wait(ANSWER_SECONDS)
        page.wait_for_timeout(SETTLED_MS)
        return page.screenshot()


def _beside(browser: Browser, pictures: Sequence[bytes], width: int, height: int) -> bytes:
    images = "".join(
        f'<img width="{width}" src="data:image/png;base64,{base64.b64encode(picture).decode()}">'
        for picture in pictures
    )
    page = browser.new_page(viewport={"width": (width + 8) * len(pictures), "height": height})
    page.set_content(f'<body style="margin:0;display:flex;gap:8px;background:gray">{images}')
    picture = page.screenshot()
    page.close()
    return picture
