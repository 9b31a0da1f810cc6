"""A narrow window, a large zoom and wide spacing hide nothing; targets are large enough."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from tests.support import chromium

# 320 pixels are also what 400 % leaves of 1280; both dimensions shrink then.
SIZES = [pytest.param(320, 256, id="400 %"), pytest.param(1280, 800, id="as usual")]
FOUND = "[probes.sideways(), probes.small(), probes.broken()]"
SPACED = """() => {
  probes.space();
  const found = [probes.sideways(), probes.cut()];
  probes.unspace();
  return found;
}"""


@pytest.mark.parametrize(("width", "height"), SIZES)
def test_there_is_room(probes: Page, width: int, height: int):
    """The spacing is that of WCAG 1.4.12, the least size that of 2.5.8."""
    chromium.resize(probes, width, height)
    sideways, small, broken = probes.evaluate(FOUND)
    sideways_when_spaced, cut_when_spaced = probes.evaluate(SPACED)

    assert sideways == []
    assert small == []
    assert broken == [], "words in the cells of a table"
    assert sideways_when_spaced == []
    assert cut_when_spaced == []
