"""Browsers that are too old for the scripts get plain forms."""

from __future__ import annotations

import re

from playwright.sync_api import BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.support.page_steps import message_box, reply_text, send_message, turn
from tests.support.upstream import Upstream

WITHOUT_POPOVERS = "delete HTMLElement.prototype.popover"


def test_browser_without_popovers_sends_and_streams_with_plain_forms(
    context: BrowserContext, upstream: Upstream, page_errors: PageErrors
):
    context.add_init_script(WITHOUT_POPOVERS)
    page = context.new_page()
    page.goto("/")
    expect(page.locator("body")).to_have_attribute("hx-ignore", "")
    send_message(page, "Hello")
    call = upstream.next_call().start_stream()
    call.delta("It **be")
    expect(page).to_have_url(re.compile(r"follow=1"))
    expect(reply_text(page)).to_contain_text("It be")
    call.complete("It **begins**")
    expect(turn(page, "complete")).to_contain_text("It begins")
    message_box(page).fill("Thank you")
    message_box(page).press("Enter")
    expect(message_box(page)).to_have_value("Thank you\n")

    assert set(page_errors) == {"popovers are missing"}
    page_errors.clear()
