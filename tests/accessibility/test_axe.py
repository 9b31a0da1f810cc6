"""axe-core finds nothing, by any of its rules, on any page."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import axe_playwright_python
import pytest
from playwright.sync_api import Page

from tests.support import chromium

AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
ALL = """Object.fromEntries(axe.getRules().filter(
  ({ tags }) => !tags.includes("wcag2aaa") && !tags.includes("deprecated")
).map(({ ruleId }) => [ruleId, { enabled: true }]))"""
# A theme changes colours, and nothing else.
OF_COLOURS = ["color-contrast", "link-in-text-block"]
RULES = {"light": f"rules: {ALL}", "dark": f"runOnly: {json.dumps(OF_COLOURS)}"}
# Quicker by far: what is in order is not described, and style sheets are not fetched once more.
RUN = """axe.run({resultTypes: ["violations"], preload: false, %s})
  .then(({ violations }) => violations)"""
WIDTHS = [1280, 360]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing(probes: Page, theme: str):
    probes.emulate_media(color_scheme=theme)
    if not probes.evaluate("'axe' in window"):
        probes.evaluate(AXE)

    found = [
        (width, _told(violation))
        for width in _widths(probes)
        for violation in probes.evaluate(RUN % RULES[theme])
    ]

    assert found == []


def _widths(page: Page) -> Iterator[int]:
    """Set each width at which something is there to be seen that has not been."""
    met: set[str] = set()
    for width in WIDTHS:
        chromium.resize(page, width, 800)
        now = set(page.evaluate("probes.met()"))
        if not now <= met:
            yield width
        met |= now


def _told(violation: dict[str, Any]) -> str:
    places = [f"\n  {n['html']}\n    {n['failureSummary']}" for n in violation["nodes"]]
    return f"{violation['id']}: {violation['help']}{''.join(places)}"
