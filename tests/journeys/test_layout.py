"""Layout: the top bar on a phone, search marks, and the Save bar of the preferences."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from core.languages import LANGUAGES
from tests.journeys.steps import open_conversation
from tests.support.chromium import resize
from tests.support.upstream import Upstream

WORDMARK = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 300 40" width="300" height="40">'
    '<rect width="300" height="40"/></svg>'
)
# The vertical offset between the parts of the top bar, and the horizontal overflow of the page.
BAR = """() => {
  const parts = document.querySelectorAll(".brand, .site-header nav > ul > li");
  const boxes = [...parts].map((part) => part.getBoundingClientRect());
  const middles = boxes.map(({ top, bottom }) => (top + bottom) / 2);
  const { scrollWidth } = document.scrollingElement;
  return [Math.max(...middles) - Math.min(...middles), scrollWidth - innerWidth];
}"""
# The largest difference in width between a search mark and its word.
OVERLAP = """marks => Math.max(...marks.map((mark) => {
  const word = document.createRange();
  word.selectNodeContents(mark);
  return mark.getBoundingClientRect().width - word.getBoundingClientRect().width;
}))"""


class TestWithAWordmark:
    @pytest.fixture
    def settings(self, settings: dict[str, Any], tmp_path: Path) -> dict[str, Any]:
        logo = tmp_path / "wordmark.svg"
        logo.write_text(WORDMARK)
        return settings | {"logo": str(logo), "logo_has_name": True}

    def test_top_bar_has_one_line_on_a_phone_in_every_text_size_and_language(
        self, context: BrowserContext
    ):
        page = context.new_page()
        resize(page, 360, 740)
        wrong = []
        for language in LANGUAGES:
            page.set_extra_http_headers({"Accept-Language": language})
            page.goto("/help")
            for size in ("normal", "large"):
                page.evaluate("size => { document.documentElement.dataset.text = size }", size)
                spread, overflow = page.evaluate(BAR)
                if spread > 1 or overflow > 0:
                    wrong.append((language, size, spread, overflow))

        assert wrong == []


def test_search_mark_does_not_cover_the_signs_beside_the_word(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    page.goto("/conversations?q=hello")

    assert page.locator("mark").evaluate_all(OVERLAP) < 1


def test_save_bar_has_a_gradient_and_covers_no_preference_at_the_end_of_the_page(
    context: BrowserContext,
):
    page = context.new_page()
    page.goto("/preferences")
    bar = page.locator(".preferences__save")
    expect(bar).to_have_css("background-image", re.compile("^linear-gradient"))
    expect(bar).to_have_css("border-top-width", "0px")

    for width in (360, 1280):
        resize(page, width, 740)
        page.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
        rows = page.locator("fieldset").evaluate_all(
            "rows => Math.max(...rows.map((row) => row.getBoundingClientRect().bottom))"
        )
        assert rows <= bar.evaluate("bar => bar.getBoundingClientRect().top") + 1
