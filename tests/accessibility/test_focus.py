"""Where Tab leads, one sees."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.support import chromium

# 320 pixels are what 400 % leaves of 1280.
WAYS = [
    pytest.param("none", 1280, 800, id="as usual"),
    pytest.param("active", 320, 256, id="forced colours at 400 %"),
]


@pytest.mark.parametrize(("forced", "width", "height"), WAYS)
def test_tab_goes_through_the_page_in_its_order_and_is_seen(
    probes: Page, forced: str, width: int, height: int
):
    probes.emulate_media(forced_colors=forced)
    chromium.resize(probes, width, height)
    stops = probes.evaluate("probes.stops()")
    probes.evaluate("probes.follow()")
    for _ in stops:
        probes.keyboard.press("Tab")
    followed = probes.evaluate("followed")

    assert [stop["name"] for stop in followed] == stops
    assert [stop["name"] for stop in followed if not stop["seen"]] == []
    assert [stop["name"] for stop in followed if stop["covered"]] == []
