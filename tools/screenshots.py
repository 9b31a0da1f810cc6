"""Retake the screenshots in docs/screenshots/ and docs/reply.webp: `make screenshots`."""

from __future__ import annotations

import base64
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import product
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.support import chromium
from tests.support.packages import find_program, install
from tests.support.processes import run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream, send_reply
from tests.support.upstream_server import run_upstream
from tools.bench.browser import launch_chromium
from twindow.paths import ROOT

SCREENSHOTS_DIR = ROOT / "docs" / "screenshots"
THEMES = ("light", "dark")
VIEWPORTS = ((360, 740), (768, 1024), (1280, 800))
WEBP_QUALITY = 70
# A reply with every construct, in windows that are high enough for all of it.
CONSTRUCTS = SCREENSHOTS_DIR.parent / "constructs.md"
CONSTRUCTS_VIEWPORTS = ((360, 1960), (1280, 1740))
TWINS = ("ada", "guide", "fable")
# The animation in README: a window, and how long each picture stays, in milliseconds.
ANIMATION = SCREENSHOTS_DIR.parent / "reply.webp"
ANIMATION_VIEWPORT = (760, 720)
FRAME_MS, LAST_FRAME_MS = 120, 6_000
ANIMATION_QUALITY = 85
QUESTION = "How fast does a pendulum swing, here and on the Moon?"
REPLY = r"""The period depends on the length $L$ and on gravity $g$, not on the mass [1]:

$$
T = 2\pi \sqrt{\frac{L}{g}}
$$

| Length | On Earth | On the Moon |
|---:|---:|---:|
| 25 cm | 1.0 s | 2.5 s |
| 1 m | 2.0 s | 4.9 s |
| 4 m | 4.0 s | 9.9 s |

One metre swings to and fro in **two seconds**. On the Moon [2], a clock loses 35 minutes an hour.
"""
TUTOR = {
    "tutor.md": """---
name: Physics tutor
description: Answers from the notes of our course.
greeting: Hello. What shall we work out today?
knowledge: prompt
---
You are a tutor.
""",
    "tutor/pendulum.md": """# The pendulum

How fast a pendulum swings depends on its length and on gravity. Its mass does not matter.
""",
    "tutor/moon.md": """# Gravity on the Moon

On the Moon, things fall slowly and a pendulum swings slowly: gravity is 1.62 m/s².
""",
}
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
        conversation, *_ = [start_conversation(page, twin) for twin in TWINS]
        save_pages(page, PAGES | {"conversation": conversation}, VIEWPORTS)
    with (
        run_upstream() as upstream,
        open_portal(API_URL=upstream.url, API_KEY=UPSTREAM_KEY) as page,
    ):
        path = start_constructs(page, upstream)
        save_pages(page, {"constructs": path}, CONSTRUCTS_VIEWPORTS)
    install("fonts-lmodern")  # formulas need a font with mathematics
    record_reply()
    total = sum(path.stat().st_size for path in SCREENSHOTS_DIR.iterdir())
    print(f"{len(list(SCREENSHOTS_DIR.iterdir()))} screenshots, {total / 1e6:.2f} MB")


def save_pages(page: Page, pages: Mapping[str, str], viewports: Iterable[tuple[int, int]]) -> None:
    """Save each page in both themes and all sizes."""
    for (name, path), theme, (width, height) in product(pages.items(), THEMES, viewports):
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=theme, reduced_motion="reduce")
        page.goto(path)
        save_screenshot(page, SCREENSHOTS_DIR / f"{name}-{theme}-{width}.webp")


@contextmanager
def open_portal(**settings: str) -> Iterator[Page]:
    """Run a portal and open it in a browser."""
    with (
        tempfile.TemporaryDirectory() as data,
        run_server(Path(data), "app.py", **settings) as server,
        launch_chromium() as browser,
    ):
        yield browser.new_page(base_url=server.url)


def record_reply() -> None:
    """Save an animation of a question and its reply, which a scripted model writes."""
    with run_upstream() as model, tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tutor").mkdir()
        for file, text in TUTOR.items():
            (folder / file).write_text(text)
        settings = {"MODEL_URL": model.url, "MODEL": "any", "TWINS_DIR": name}
        frames: list[Path] = []

        def save_frame() -> None:
            frames.append(folder / f"{len(frames):03}.png")
            page.evaluate(chromium.WAIT_FOR_PAINT)
            page.screenshot(path=frames[-1])

        with open_portal(**settings) as page:
            width, height = ANIMATION_VIEWPORT
            page.set_viewport_size({"width": width, "height": height})
            page.emulate_media(reduced_motion="reduce")
            page.goto("/twins/tutor")
            box = page.get_by_role("textbox", name="Message")
            for words in QUESTION.split(" "):
                box.press_sequentially(f"{words} ")
                save_frame()
            page.keyboard.press("Enter")
            call = model.next_call().start_stream()
            save_frame()
            for words in re.findall(r"\S+\s*\S*\s*", REPLY):
                call.delta(words)
                page.wait_for_timeout(FRAME_MS)
                save_frame()
            call.complete()
            expect(page.locator(".turn__footer[data-state=complete]")).to_have_count(1)
            save_frame()
        program = find_program("img2webp", "webp")
        options = ["-loop", "0", "-lossy", "-q", str(ANIMATION_QUALITY), "-d", str(FRAME_MS)]
        last = ["-d", str(LAST_FRAME_MS), str(frames[-1])]
        subprocess.run(
            [program, *options, *map(str, frames[:-1]), *last, "-o", str(ANIMATION)], check=True
        )


def start_conversation(page: Page, twin: str) -> str:
    """Start a conversation and return its URL."""
    page.goto(f"/twins/{twin}")
    page.locator(".starter").first.click()
    expect(page.locator(".turn[data-state=complete]")).to_have_count(1, timeout=60_000)
    return page.url


def start_constructs(page: Page, upstream: Upstream) -> str:
    """Start a conversation whose reply has every construct, and return its URL."""
    page.goto("/twins/ada")
    page.get_by_role("textbox", name="Message").fill("Show me everything")
    page.keyboard.press("Enter")
    send_reply(upstream.next_call(), CONSTRUCTS.read_text())
    expect(page.locator(".turn__footer[data-state=complete]")).to_have_count(1)
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
