"""Accessibility checks of a page: axe, layout, forced colours and keyboard focus."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import ndiff
from pathlib import Path
from typing import Any

import axe_playwright_python
from playwright.sync_api import Page, expect

from tests.support.chromium import resize
from tests.support.traffic import wait_on_page

PROBES = (Path(__file__).parent / "probes.js").read_text()
AXE = (Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text()
# With these options axe is faster: it omits passed rules and does not fetch style sheets again.
RUN_AXE = """axe.run({{resultTypes: ["violations"], preload: false, {options}}})
  .then(({{ violations }}) => violations)"""
COLOUR_RULES = '["color-contrast", "link-in-text-block"]'
OTHER_RULES = f"""rules: Object.fromEntries(axe.getRules().filter(
  ({{ tags }}) => !tags.includes("wcag2aaa") && !tags.includes("deprecated")
).map(({{ ruleId }}) => [ruleId, {{ enabled: !{COLOUR_RULES}.includes(ruleId) }}]))"""
# The only animations allowed with reduced motion.
COUNTDOWN_ANIMATIONS = {
    "hide-after-wait",
    "show-after-wait",
    "countdown-minutes",
    "countdown-seconds",
}
TEXT_SPACING_PROBE = """() => {
  probes.space();
  const found = [probes.sideways(), probes.cut()];
  probes.unspace();
  return found;
}"""

Finding = tuple[str, Any]


class Inspector:
    """Accessibility checks for a series of pages, without animations.

    axe spends most of its time on colours. The inspector therefore checks colours, in both themes,
    only if an element has a class or colour that no earlier page had. About thirty states have
    such an element.
    """

    def __init__(self) -> None:
        self._checked_colours: set[str] = set()

    def findings(self, page: Page) -> list[Finding]:
        """Return the problems of a page of 1280 x 800 pixels.

        The inspection changes the size and media of the page.
        """
        return list(self._inspect(page))

    def _inspect(self, page: Page) -> Iterator[Finding]:
        expect(page.locator(".code:not(:has(.code__copy))")).to_have_count(0)
        page.evaluate(PROBES)
        page.evaluate(AXE)
        headings = page.evaluate("probes.firsts()")
        if headings != 1:
            yield "first headings", headings
        names_when_wide = set(page.evaluate("probes.met()"))
        yield from self._check_axe(page)
        yield from _check_layout(page)
        yield from _check_forced_colours(page)
        yield from _check_focus(page)

        # A window of 1280 x 1024 pixels at a zoom of 400 %.
        resize(page, 320, 256)
        page.evaluate("probes.reopen()")
        is_like_wide = set(page.evaluate("probes.met()")) <= names_when_wide
        yield from self._check_axe(page, colours_only=is_like_wide)
        yield from _check_layout(page)
        page.emulate_media(forced_colors="active")
        yield from _check_focus(page)

    def _check_axe(self, page: Page, *, colours_only: bool = False) -> Iterator[Finding]:
        """Check all rules, or only colours. Skip colours that an earlier page had."""
        if not colours_only:
            yield from _run_axe(page, "light", OTHER_RULES)
        painted = set(page.evaluate("probes.painted()"))
        if painted <= self._checked_colours:
            return
        self._checked_colours |= painted
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)
            yield from _run_axe(page, theme, f"runOnly: {COLOUR_RULES}")
        page.emulate_media(color_scheme="light")


def _run_axe(page: Page, theme: str, options: str) -> Iterator[Finding]:
    for violation in page.evaluate(RUN_AXE.format(options=options)):
        nodes = [f"{node['html']}: {node['failureSummary']}" for node in violation["nodes"]]
        yield f"axe, {theme}, {_width(page)}: {violation['id']}", nodes


def _check_layout(page: Page) -> Iterator[Finding]:
    """Check horizontal scrolling, target size (WCAG 2.5.8) and text spacing (WCAG 1.4.12)."""
    results = page.evaluate("[probes.sideways(), probes.small(), probes.broken()]")
    results += page.evaluate(TEXT_SPACING_PROBE)
    names = "sideways", "small target", "broken word in a table", "sideways, spaced", "cut, spaced"
    yield from _name_findings(f"room, {_width(page)}", names, results)


def _check_forced_colours(page: Page) -> Iterator[Finding]:
    page.emulate_media(forced_colors="active")
    edgeless, unmarked, moving, sliding = page.evaluate(
        "[probes.edgeless(), probes.unmarked(), probes.moving(), probes.sliding()]"
    )
    page.emulate_media(forced_colors="none")
    names = "no edge", "unmarked current page", "animation", "transition"
    results = edgeless, unmarked, sorted(set(moving) - COUNTDOWN_ANIMATIONS), sliding
    yield from _name_findings("forced colours, reduced motion", names, results)


def _check_focus(page: Page) -> Iterator[Finding]:
    """Check that Tab follows the order of the page and that the focus is visible."""
    wait_on_page(page, lambda: page.evaluate("probes.settled()"))
    stops = page.evaluate("probes.stops()")
    page.evaluate("probes.follow()")
    for _ in stops:
        page.keyboard.down("Tab")  # `press` would send two commands per tab stop
    page.keyboard.up("Tab")
    followed = page.evaluate("followed")
    order = [stop["name"] for stop in followed]
    hidden = [stop["name"] for stop in followed if not stop["seen"]]
    covered = [stop["name"] for stop in followed if stop["covered"]]
    wrong = [line for line in ndiff(stops, order) if not line.startswith("  ")]
    names = "order", "no ring", "covered"
    yield from _name_findings(f"focus, {_width(page)}", names, (wrong, hidden, covered))


def _name_findings(check: str, names: tuple[str, ...], results: Any) -> Iterator[Finding]:
    yield from (
        (f"{check}: {name}", each) for name, each in zip(names, results, strict=True) if each
    )


def _width(page: Page) -> int:
    assert page.viewport_size
    return page.viewport_size["width"]
