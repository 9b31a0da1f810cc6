"""Every state of every page, one after the other: each is reached once, then looked at by all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, expect

from tests.accessibility.stage import House, State, house
from tests.accessibility.states import STATES
from tests.support.chromium import resize

PROBES = (Path(__file__).parent / "probes.js").read_text()


@dataclass(frozen=True)
class Shown:
    """A state that the page is in, and what became known on the way to it."""

    state: State
    page: Page
    endpoints: set[str]
    console: list[str]


@pytest.fixture(scope="package")
def one_house(browser: Browser) -> Iterator[House]:
    """Open one page for all states."""
    with house(browser) as opened:
        yield opened


@pytest.fixture(scope="package", params=STATES, ids=lambda state: state.name)
def shown(
    request: pytest.FixtureRequest, one_house: House, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Shown]:
    """Bring the page into each state."""
    state: State = request.param
    console: list[str] = []

    def note(message: ConsoleMessage) -> None:
        console.append(message.text)

    one_house.page.on("console", note)
    with one_house.staged(state, tmp_path_factory.mktemp("portal")) as stage:
        yield Shown(state, one_house.page, stage.endpoints, console)
    one_house.page.remove_listener("console", note)


@pytest.fixture
def page(shown: Shown) -> Page:
    """Return the page, as wide and as bright as it always is."""
    page = shown.page
    page.emulate_media(color_scheme="light", forced_colors="none", reduced_motion="no-preference")
    resize(page, 1280, 800)
    return page


@pytest.fixture
def probes(page: Page) -> Page:
    """Return the page, which can be asked about itself now."""
    if not page.evaluate("'probes' in window"):
        page.evaluate(PROBES)
    page.evaluate("probes.reopen()")
    expect(page.locator(".code:not(:has(.code__copy))")).to_have_count(0)  # they come a bit later
    return page
