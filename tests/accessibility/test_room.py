"""A narrow window, a large zoom and wide spacing hide nothing."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

# 320 pixels are also what 400 % leaves of 1280; both dimensions shrink then.
NARROW = [pytest.param(320, 640, id="320 px"), pytest.param(320, 256, id="400 %")]


@pytest.mark.parametrize(("width", "height"), NARROW)
def test_nothing_scrolls_sideways(probes: Page, width: int, height: int):
    probes.set_viewport_size({"width": width, "height": height})

    assert probes.evaluate("probes.sideways()") == []


@pytest.mark.parametrize("width", [320, 1280])
def test_text_can_be_spaced(probes: Page, width: int):
    """The values of WCAG 1.4.12."""
    probes.set_viewport_size({"width": width, "height": 800})
    probes.evaluate("probes.space()")
    sideways, cut = probes.evaluate("[probes.sideways(), probes.cut()]")
    probes.evaluate("probes.unspace()")

    assert sideways == []
    assert cut == []
