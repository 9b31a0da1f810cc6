"""A page on which some or all scripts did not load."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.support.page_steps import reply_text, send_message, turn
from tests.support.upstream import Upstream


@pytest.mark.fault("F84")
@pytest.mark.usefixtures("bad_network")
@pytest.mark.parametrize("blocked", ["*.js", "htmx.js", "main.js"])
def test_page_without_its_scripts_sends_messages_and_shows_replies(
    blocked: str, context: BrowserContext, upstream: Upstream
):
    pattern = f"**/static/**/{blocked}"
    context.route(pattern, lambda route: route.abort())
    page = context.new_page()
    with page.expect_request(pattern):
        page.goto("/twins/ada")
    for number, words in enumerate(("Hello", "Second")):
        send_message(page, words)
        call = upstream.next_call().start_stream()
        expect(turn(page, "waiting")).to_contain_text(words)
        page.get_by_role("link", name="Watch live").click()
        call.delta(words)
        expect(reply_text(page)).to_have_text(words, use_inner_text=True)
        call.complete(f"{words} heard")
        expect(reply_text(page, "complete", number)).to_have_text(
            f"{words} heard", use_inner_text=True
        )
    assert upstream.sent_messages() == ["Hello", "Second"]
