"""A reply that is left and found again: whole, without a gap and without a repeat."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.journeys.conftest import Surprises
from tests.journeys.page_clock import NO_SPREAD
from tests.journeys.steps import begun, box, say, say_too_early, talking, text
from tests.journeys.traffic import Held, is_stream, requests_of
from tests.journeys.window import fire, same_person
from tests.support.tcp_proxy import Wire
from tests.support.upstream import Upstream

AT_ONCE_MS = 5_000
STREAMS = "**/events?*"


@pytest.fixture
def url(wire: Wire) -> str:
    return wire.url


@pytest.mark.fault("F64", "F65")
def test_reloads_tabs_and_devices_show_the_whole_reply_once(
    context: BrowserContext, upstream: Upstream, browser: Browser, url: str, surprises: Surprises
):
    page, call = talking(context, upstream, "One")
    for heard, more in (("One", " two"), ("One two", " three")):
        page.reload()
        expect(text(page)).to_have_text(heard)
        call.delta(more)
        expect(text(page)).to_have_text(heard + more)

    device = browser.new_context(base_url=url)
    same_person(context, device)
    tab, other = context.new_page(), device.new_page()
    for each in (tab, other):
        each.goto(page.url)
        expect(text(each)).to_have_text("One two three")
    call.delta(" four")
    for each in (page, tab, other):
        expect(text(each)).to_have_text("One two three four")

    say_too_early(tab, "Written there")
    expect(tab.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box(tab)).to_have_value("Written there")
    call.complete("One two three four five")
    for each in (page, tab, other):
        expect(text(each, "complete")).to_have_text("One two three four five")
        expect(each.locator(".turn")).to_have_count(1)
    device.close()
    box(tab).press("Enter")
    upstream.next_call().start_stream().complete("Six")
    expect(text(tab, "complete", 1)).to_have_text("Six")
    assert upstream.sent_messages() == ["Hello", "Written there"]
    assert all("409" in line for line in surprises)
    surprises.clear()


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
def test_page_that_was_offline_says_so_and_catches_up_by_itself(
    context: BrowserContext, upstream: Upstream, wire: Wire
):
    page = begun(context, upstream)
    page.clock.install()
    notices = page.locator("#notices")
    for number, break_off in enumerate((wire.cut, wire.go_dead), 1):
        say(page, "Go on")
        call = upstream.next_call().start_stream()
        call.delta("One two")
        expect(text(page)).to_have_text("One two")  # so the page follows
        context.set_offline(True)
        break_off()
        expect(notices).to_contain_text("You are offline")
        call.delta(" three")
        page.clock.fast_forward(60_000)
        expect(text(page)).to_have_text("One two")
        expect(notices).to_contain_text("You are offline")

        context.set_offline(False)
        expect(text(page)).to_have_text("One two three", timeout=AT_ONCE_MS)
        expect(notices).to_be_empty()
        call.complete("One two three four")
        expect(text(page, "complete", number)).to_have_text("One two three four")


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
def test_first_stream_is_asked_for_again_when_the_network_returns(
    context: BrowserContext, upstream: Upstream
):
    context.add_init_script(NO_SPREAD)
    page = begun(context, upstream)
    Held(page, STREAMS)
    asked = requests_of(page, is_stream)
    with page.expect_request(is_stream):
        say(page, "Go on")
    call = upstream.next_call().start_stream()
    context.set_offline(True)
    expect(page.locator("#notices")).to_contain_text("You are offline")
    context.set_offline(False)
    call.delta("One")
    expect(text(page)).to_have_text("One", timeout=AT_ONCE_MS)
    call.complete("One two")
    expect(text(page, "complete", 1)).to_have_text("One two")
    assert len(asked) == 2

    page.route(STREAMS, lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed", is_stream):
        say(page, "Go on")
    call = upstream.next_call().start_stream()
    held = Held(page, STREAMS)
    with page.expect_request(is_stream):
        fire(page, "online")
    fire(page, "online")
    held.release()
    for more, heard in (("One", "One"), (" two", "One two"), (" three", "One two three")):
        call.delta(more)
        expect(text(page)).to_have_text(heard)
    call.complete("One two three")
    expect(text(page, "complete", 2)).to_have_text("One two three")
