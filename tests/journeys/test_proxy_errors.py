"""Error pages and sign-in pages of a proxy, or no response: they replace nothing on a page."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, Request, Response, expect

from tests.journeys.window import show_tab
from tests.support.chromium import WAIT_FOR_PAINT
from tests.support.page_steps import message_box, open_conversation, reply_text, turn
from tests.support.upstream import Upstream

pytestmark = pytest.mark.usefixtures("bad_network")

HTML = "text/html; charset=utf-8"
ANSWERS: list[dict[str, object] | None] = [
    {"status": 502, "body": "<h1>Bad Gateway</h1>", "content_type": HTML},
    {"status": 200, "body": "<form><input name=user></form>", "content_type": HTML},
    None,
]
UNREACHABLE = "Can't reach the server."


def intercept_requests(page: Page, answer: dict[str, object] | None) -> None:
    """Answer every request with this response from now on, or with none."""
    if answer:
        page.route("**/*", lambda route: route.fulfill(**answer))  # type: ignore[arg-type]
    else:
        page.route("**/*", lambda route: route.abort())


def is_check_for_turns(ended: Request | Response) -> bool:
    return "/turns?seen=" in ended.url


def is_check_of_sidebar(ended: Request | Response) -> bool:
    return "/conversations/recent" in ended.url


@pytest.mark.fault("F68")
def test_error_or_sign_in_page_of_a_proxy_or_no_response_replaces_no_message_and_no_reply(
    context: BrowserContext, upstream: Upstream
):
    page = open_conversation(context, upstream)
    notices = page.locator("#notices")
    for number, answer in enumerate(ANSWERS, 1):
        intercept_requests(page, answer)
        end = "response" if answer else "requestfailed"
        for is_check in (is_check_for_turns, is_check_of_sidebar):
            with page.expect_event(end, is_check):
                show_tab(page)
        page.evaluate(WAIT_FOR_PAINT)
        expect(notices).to_be_empty()
        expect(turn(page, "complete")).to_be_visible()
        expect(page.locator(".turn")).to_have_count(number)
        expect(page.locator("#log form:not(.turn__resend)")).to_have_count(0)
        expect(page.get_by_role("button", name="Try again")).to_be_visible()

        message_box(page).fill("My words")
        message_box(page).press("Enter")
        expect(notices).to_contain_text(f"{UNREACHABLE} Your text is saved")
        expect(message_box(page)).to_have_value("My words")
        page.unroute_all()
        with page.expect_event("requestfinished", is_check_of_sidebar):
            show_tab(page)
        page.evaluate(WAIT_FOR_PAINT)
        expect(notices).to_contain_text("Your text is saved")  # it is not sent
        message_box(page).press("Enter")
        call = upstream.next_call().start_stream()
        call.delta("One")
        expect(reply_text(page)).to_have_text("One")
        expect(notices).to_be_empty()

        intercept_requests(page, answer)
        page.get_by_role("button", name="Stop").click()
        expect(notices).to_contain_text(UNREACHABLE)
        expect(reply_text(page)).to_have_text("One")
        call.complete("One two")
        expect(reply_text(page, "complete", number)).to_have_text("One two")
        expect(notices).to_contain_text(UNREACHABLE)
        page.unroute_all()
        show_tab(page)
        expect(notices).to_be_empty()
        page.evaluate("notices.replaceChildren()")
