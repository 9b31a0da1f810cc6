"""Where Tab leads, one sees; and what can be pressed is large enough to be met."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

WAYS = [
    pytest.param("none", 1280, 800, id="as usual"),
    pytest.param("active", 1280, 800, id="forced colours"),
    pytest.param("none", 320, 256, id="400 %"),
]


@pytest.mark.parametrize(("forced", "width", "height"), WAYS)
def test_tab_goes_through_the_page_in_its_order_and_is_seen(
    probes: Page, forced: str, width: int, height: int
):
    probes.emulate_media(forced_colors=forced)
    probes.set_viewport_size({"width": width, "height": height})
    stops = probes.evaluate("probes.stops()")
    probes.evaluate("probes.follow()")
    for _ in stops:
        probes.keyboard.press("Tab")
    followed = probes.evaluate("followed")

    assert [stop["name"] for stop in followed] == stops
    assert [stop["name"] for stop in followed if not stop["seen"]] == []
    assert [stop["name"] for stop in followed if stop["covered"]] == []


@pytest.mark.parametrize("width", [360, 1280])
def test_what_can_be_pressed_is_at_least_24_pixels_large(probes: Page, width: int):
    probes.set_viewport_size({"width": width, "height": 800})

    assert probes.evaluate("probes.small()") == []
