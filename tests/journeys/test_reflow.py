"""No page scrolls sideways: on a small phone, with wide-set text, in either direction."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import begun
from tests.support.upstream import Upstream

PATHS = ["/", "/twins/ada", "/conversations", "/keys", "/preferences", "/help", "/nowhere"]
# WCAG 1.4.12, which asks that nothing is lost when a reader sets text like this.
WIDE_SET = """*, ::before, ::after { line-height: 1.5 !important; letter-spacing: .12em !important;
  word-spacing: .16em !important } p { margin-block-end: 2em !important }"""
RTL = "document.documentElement.dir = 'rtl'"
# Whatever stands outside of the page, but for what is hidden from sight on purpose.
OUTSIDE = """() => [...document.querySelectorAll('body *')].filter((element) => {
  const box = element.getBoundingClientRect();
  const seen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const apart = element.closest('.skip, .hidden-text, pre, table, svg');
  if (!seen || box.width <= 1 || apart) return false;
  return box.left < -1 || box.right > innerWidth + 1;
}).map((element) => element.outerHTML.slice(0, 120))"""


def settle(page: Page, kind: str) -> None:
    if kind == "rtl":
        page.evaluate(RTL)
    if kind == "wide-set":
        page.evaluate(
            "css => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css);"
            " document.adoptedStyleSheets = [sheet] }",
            WIDE_SET,
        )


@pytest.mark.parametrize(
    "reply",
    [r"Hi $\hspace{9999em}x$ there", r"Hi $a" + "+b" * 200 + "$", "x" + "\u0e49" * 600],
    ids=["a wide blank", "a long formula", "marks"],
)
def test_no_reply_makes_its_page_wider(context: BrowserContext, upstream: Upstream, reply: str):
    page = begun(context, upstream)
    page.set_viewport_size({"width": 320, "height": 640})
    page.get_by_role("textbox", name="Message").fill("More")
    page.get_by_role("textbox", name="Message").press("Enter")
    upstream.next_call().start_stream().complete(reply)
    expect(page.locator(".turn[data-state=complete]")).to_have_count(2)
    for _ in range(2):
        assert page.evaluate("document.scrollingElement.scrollWidth") == 320
        page.reload()


@pytest.mark.parametrize("kind", ["as it is", "wide-set", "rtl", "large text"])
def test_no_page_scrolls_sideways(
    context: BrowserContext, upstream: Upstream, surprises: Surprises, kind: str
):
    page = begun(context, upstream)
    talk = page.url
    page.set_viewport_size({"width": 320, "height": 640})
    if kind == "large text":
        page.goto("/preferences")
        page.get_by_role("radio", name="Large").check()
        page.get_by_role("button", name="Save").click()
    for path in [*PATHS, talk]:
        page.goto(path)
        settle(page, kind)
        assert page.evaluate(OUTSIDE) == [], path
        width = page.evaluate("document.scrollingElement.scrollWidth")
        assert width == 320, path

        page.get_by_role("button", name="More").click()
        expect(page.get_by_role("link", name="Keyboard shortcuts")).to_be_visible()
        assert page.evaluate(OUTSIDE) == [], path
    surprises.clear()  # the page that is nowhere
