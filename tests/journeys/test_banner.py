"""The operator's notice above every page."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import LONG_REPLY, open_streaming_conversation, turn
from tests.support.upstream import Upstream

pytestmark = pytest.mark.settings(banner="For internal use only")


def test_banner_stays_in_view_at_the_end_of_a_conversation_and_is_not_printed(
    context: BrowserContext, upstream: Upstream
):
    page, call = open_streaming_conversation(context, upstream, "Paragraph 0.")
    call.complete(LONG_REPLY)
    expect(turn(page, "complete")).to_be_visible()
    page.evaluate("scrollTo(0, document.body.scrollHeight)")
    page.wait_for_function("scrollY > 500")

    expect(page.get_by_text("For internal use only")).to_be_in_viewport()
    page.emulate_media(media="print")
    expect(page.get_by_text("For internal use only")).to_be_hidden()
