"""Background tabs: they miss nothing, and take no connection from the visible tab."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.stream_requests import DISABLE_JITTER
from tests.journeys.window import SET_HIDDEN, hide_tab, show_tab
from tests.support.chromium import SLOWDOWN
from tests.support.page_steps import open_streaming_conversation, reply_text, turn
from tests.support.person import Person
from tests.support.traffic import is_stream_request, record_requests
from tests.support.upstream import Upstream
from tests.support.waiting import wait_until

AT_ONCE_MS = 5_000 * SLOWDOWN
CHECKED_WITHIN_MS = 10_000


@pytest.mark.fault("F83")
def test_hidden_tab_closes_its_stream_says_when_the_reply_is_finished_and_catches_up(
    context: BrowserContext, upstream: Upstream
):
    context.add_init_script(DISABLE_JITTER)
    context.clock.install()
    page, call = open_streaming_conversation(context, upstream, "One")
    expect(page).to_have_title(re.compile("^… Hello"))
    streams = record_requests(page, is_stream_request)
    with page.expect_event("requestfailed", is_stream_request):
        hide_tab(page)
    call.delta(" two")
    expect(reply_text(page)).to_have_text("One")
    show_tab(page)
    expect(reply_text(page)).to_have_text("One two")
    assert len(streams) == 1

    with page.expect_event("requestfailed", is_stream_request):
        hide_tab(page)
    with page.expect_response("**/text") as asked:
        page.clock.run_for(CHECKED_WITHIN_MS)
    expect(page).to_have_title(re.compile("^… Hello"))
    call.complete("One two **and all**")
    state_of = context.request.head
    wait_until(lambda: state_of(asked.value.url).headers["reply-state"] == "complete")
    with page.expect_response("**/text"):
        page.clock.run_for(CHECKED_WITHIN_MS)
    expect(page).to_have_title(re.compile("^✓ Hello"))
    assert len(streams) == 1

    show_tab(page)
    expect(reply_text(page, "complete").locator("strong")).to_have_text("and all")
    page.clock.run_for(1_000)
    expect(page).to_have_title(re.compile("^Hello"))
    assert len(streams) == 2


@pytest.mark.fault("F83")
def test_seventh_tab_works_while_replies_run_in_six_hidden_tabs(
    context: BrowserContext, upstream: Upstream, url: str
):
    alice = Person(url)
    pages = [alice.start_conversation(f"Hello {number}") for number in range(6)]
    calls = [upstream.next_call().start_stream() for _ in pages]
    context.add_cookies(
        [{"name": "twindow", "value": alice.session.cookies["twindow"], "url": url}]
    )
    alice.close()
    for page in pages:
        tab = context.new_page()
        tab.add_init_script(SET_HIDDEN)
        tab.goto(page.path)

    context.set_default_timeout(AT_ONCE_MS)
    seventh, call = open_streaming_conversation(context, upstream, "At once")
    call.complete("At once and whole")
    expect(reply_text(seventh, "complete")).to_have_text("At once and whole")
    for call in calls:
        call.complete("ok")
    first = context.pages[0]
    show_tab(first)
    expect(turn(first, "complete")).to_contain_text("ok")
