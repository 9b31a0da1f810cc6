"""The main journey in Arabic: right-to-left layout and translated scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.support.page_steps import turn
from tests.support.upstream import Upstream

PHONE = 360
ASK = "لماذا السماء زرقاء؟"
LIST_AND_TABLE = (
    "لغات:\n\n- بايثون\n- Python\n\n| المنتج | السعر | x |\n|---|---|---|\n| خبز | 100 | y |\n"
)
# The gaps between the right ends of parts and of their words.
GAPS = """parts => parts.map((part) => {
  const words = document.createRange();
  words.selectNodeContents(part);
  return part.getBoundingClientRect().right - words.getBoundingClientRect().right;
})"""
# Whether the page scrolls horizontally.
SIDEWAYS = "document.documentElement.scrollWidth > document.documentElement.clientWidth"
LATIN = """() => [...document.querySelectorAll("button, label, h1, h2, p, summary, [aria-label]")]
  .filter((element) => element.checkVisibility() && !element.closest(".turn__reply"))
  .map((element) => element.ariaLabel || element.textContent)
  .filter((words) => /(Send|Try again|Message|Copy|conversation|reply)/.test(words))"""


def left_of(page: Page, one: str, other: str) -> bool:
    """Return whether one element is to the left of another."""
    a, b = (page.locator(each).first.bounding_box() for each in (one, other))
    assert a
    assert b
    return a["x"] + a["width"] <= b["x"] + 1


@pytest.mark.usefixtures("bad_network")
def test_arabic_conversation_has_right_to_left_layout_and_arabic_words(
    context: BrowserContext, upstream: Upstream
):
    context.set_extra_http_headers({"Accept-Language": "ar-EG,ar;q=0.9"})
    page = context.new_page()
    page.goto("/twins/ada")
    expect(page.locator("html")).to_have_attribute("dir", "rtl")
    box = page.get_by_role("textbox", name="الرسالة")
    expect(box).to_have_css("direction", "rtl")
    box.fill(ASK)
    for width in (PHONE, 1280):
        page.set_viewport_size({"width": width, "height": 800})
        assert left_of(page, ".composer button", "#message")
    page.get_by_role("button", name="إرسال").click()

    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_contain_text("وصلت رسالتك إلى")
    call.send_event(type="progress", progress={"stage": "thinking"})
    expect(page.locator(".turn__progress")).to_have_text("جارٍ التفكير…")
    call.delta("لأن الضوء")
    reply = turn(page, "streaming").locator(".turn__reply")
    expect(reply).to_have_text("لأن الضوء")
    expect(reply).to_have_css("direction", "rtl")
    assert left_of(page, ".turn__reply", ".turn__body .avatar")
    call.reset()

    expect(turn(page, "interrupted").locator(".note")).to_contain_text("انقطع الرد.")
    page.get_by_role("button", name="إعادة المحاولة").click()
    upstream.next_call().respond(503, {})
    expect(turn(page, "failed").locator(".note")).to_contain_text(
        "تواجه خدمة الذكاء الاصطناعي مشكلة"
    )
    turn(page, "failed").get_by_role("button", name="إعادة المحاولة").click()
    upstream.next_call().start_stream().complete("لأن الضوء الأزرق `sky = 1` يتشتت. It *scatters*.")

    last = turn(page, "complete")
    expect(last.locator(".turn__reply em")).to_have_text("scatters")
    expect(last.locator("code")).to_have_css("direction", "ltr")
    expect(last.get_by_role("button", name="إعادة المحاولة")).to_be_visible()
    for width in (1280, PHONE):
        page.set_viewport_size({"width": width, "height": 800})
        assert not page.evaluate(SIDEWAYS)
        assert page.evaluate(LATIN) == []

    page.locator("#message").fill(ASK)
    page.locator("#message").press("Enter")
    upstream.next_call().start_stream().complete(LIST_AND_TABLE)
    expect(turn(page, "complete", 1)).to_be_visible()
    for parts in ("li", "th, td"):
        assert max(page.locator(f".turn__reply :is({parts})").evaluate_all(GAPS)) < 2, parts

    page.locator("#message").fill("x" * 31_999)
    expect(page.locator(".counter")).to_have_text("الأحرف المتبقية: 1")
    context.set_offline(True)
    expect(page.locator("#notices")).to_contain_text("أنت غير متصل بالإنترنت")
