"""On a small phone everything is in view, even with wide, large or right-to-left text."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import PageErrors
from tests.support.page_steps import (
    open_conversation,
    open_menu,
    open_page,
    rename,
    send_message,
    turn,
)
from tests.support.upstream import Upstream

PATHS = ["/", "/twins/ada", "/conversations", "/keys", "/preferences", "/help"]
LONG_TITLE = "A title without end " * 10
LINES = "part => part.offsetHeight / parseFloat(getComputedStyle(part).lineHeight)"
# Replies that could be too wide: a formula with a wide space, a long formula, combining marks.
REPLIES = [r"Hi $\hspace{9999em}x$ there", r"Hi $a" + "+b" * 200 + "$", "x" + "\u0e49" * 600]
# The text spacing of WCAG 1.4.12, which must not cause a loss of content.
WIDE_SET = """*, ::before, ::after { line-height: 1.5 !important; letter-spacing: .12em !important;
  word-spacing: .16em !important } p { margin-block-end: 2em !important }"""
SETTINGS = {
    "as it is": "() => {}",
    "wide-set": """css => { const sheet = new CSSStyleSheet(); sheet.replaceSync(css);
      document.adoptedStyleSheets = [sheet] }""",
    "rtl": "() => { document.adoptedStyleSheets = []; document.documentElement.dir = 'rtl' }",
    "large text": """() => { document.documentElement.dir = 'ltr';
      document.documentElement.dataset.text = 'large' }""",
}
# Visible elements outside of the page, except those that are hidden on purpose.
OUTSIDE = """() => [...document.querySelectorAll('body *')].filter((element) => {
  const box = element.getBoundingClientRect();
  const seen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const apart = element.closest('.skip, .visually-hidden, pre, table, svg');
  if (!seen || box.width <= 1 || apart) return false;
  return box.left < -1 || box.right > innerWidth + 1;
}).map((element) => element.outerHTML.slice(0, 120))"""
# The largest difference in width between a search mark and its word.
OVERLAP = """marks => Math.max(...marks.map((mark) => {
  const word = document.createRange();
  word.selectNodeContents(mark);
  return mark.getBoundingClientRect().width - word.getBoundingClientRect().width;
}))"""
WIDTH = "document.scrollingElement.scrollWidth"


def sideways(page: Page) -> list[object]:
    """Return the settings in which parts of a page are outside of the window."""
    wrong: list[object] = []
    for name, settle in SETTINGS.items():
        page.evaluate(settle, WIDE_SET)
        outside, width = page.evaluate(OUTSIDE), page.evaluate(WIDTH)
        if outside or width != 320:
            wrong.append((page.url, name, outside, width))
    return wrong


def test_no_page_scrolls_horizontally_and_a_long_title_takes_two_lines(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    page = open_conversation(context, upstream)
    conversation = page.url
    open_menu(page, "Hello")
    rename(page, LONG_TITLE)
    heading = page.get_by_role("heading", level=1)
    expect(heading).to_contain_text("A title without end " * 2)
    page.set_viewport_size({"width": 320, "height": 640})
    wrong = []
    for path in ["/nowhere", *PATHS, conversation]:
        open_page(page, path, 404 if path == "/nowhere" else 200)
        wrong += sideways(page)
    assert page.locator("[data-text=large] body").count() == 1
    # The sidebar and its menu are the same on all pages.
    page.get_by_role("button", name="Menu", exact=True).click()
    page.locator("#more-button").click()
    expect(page.locator("#shortcuts-link")).to_be_visible()
    wrong += sideways(page)
    page_errors.clear()  # the browser logs the 404 of /nowhere

    page.reload()
    assert round(heading.evaluate(LINES)) == 2
    for number, reply in enumerate(REPLIES, 1):
        send_message(page, "More")
        upstream.next_call().start_stream().complete(reply)
        expect(turn(page, "complete", number)).to_be_visible()
        if page.evaluate(WIDTH) != 320:
            wrong.append(reply)
    page.reload()
    assert page.evaluate(WIDTH) == 320
    page.goto("/conversations?q=hello")
    assert page.locator("mark").evaluate_all(OVERLAP) < 1  # nothing beside the word is covered
    assert wrong == []
