"""A reply that is left and found again: whole, without a gap and without a repeat."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.journeys.page_clock import NO_SPREAD
from tests.journeys.steps import begun, box, say, say_too_early, talking, text
from tests.journeys.traffic import Held, is_stream, requests_of
from tests.journeys.window import fire, same_person
from tests.support.tcp_proxy import Wire
from tests.support.upstream import Upstream

AT_ONCE_MS = 5_000


@pytest.fixture
def url(wire: Wire) -> str:
    return wire.url


@pytest.mark.fault("F64")
def test_a_reload_in_mid_stream_has_no_gap_and_no_repeat(
    context: BrowserContext, upstream: Upstream
):
    page, call = talking(context, upstream, "One")
    for heard, more in (("One", " two"), ("One two", " three"), ("One two three", " four")):
        page.reload()
        expect(text(page)).to_have_text(heard)
        call.delta(more)
        expect(text(page)).to_have_text(heard + more)
    call.delta(" five")
    page.reload()
    expect(text(page)).to_have_text("One two three four five")
    call.complete("One two three four five")
    expect(text(page, "complete")).to_have_text("One two three four five")


@pytest.mark.fault("F65")
def test_two_tabs_and_another_device_show_the_same(
    context: BrowserContext, upstream: Upstream, browser: Browser, url: str
):
    page, call = talking(context, upstream, "One")
    device = browser.new_context(base_url=url)
    same_person(context, device)
    tab, other = context.new_page(), device.new_page()
    for each in (tab, other):
        each.goto(page.url)
        expect(text(each)).to_have_text("One")
    call.delta(" two")
    for each in (page, tab, other):
        expect(text(each)).to_have_text("One two")

    say_too_early(other, "words written there")
    expect(other.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(box(other)).to_have_value("words written there")
    call.complete("One two three")
    for each in (page, tab, other):
        expect(text(each, "complete")).to_have_text("One two three")
        expect(each.locator(".turn")).to_have_count(1)
    device.close()
    assert upstream.sent_messages() == ["Hello"]


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
@pytest.mark.parametrize("how", ["cut", "go_dead"])
def test_a_page_that_was_offline_says_so_and_catches_up_by_itself(
    context: BrowserContext, upstream: Upstream, wire: Wire, how: str
):
    page, call = talking(context, upstream, "One")
    call.delta(" two")
    expect(text(page)).to_have_text("One two")  # so the page follows
    notices = page.locator("#notices")
    context.set_offline(True)
    getattr(wire, how)()
    expect(notices).to_contain_text("You are offline")
    call.delta(" three")
    page.clock.install()
    page.clock.fast_forward(60_000)
    expect(text(page)).to_have_text("One two")
    expect(notices).to_contain_text("You are offline")

    context.set_offline(False)
    expect(text(page)).to_have_text("One two three", timeout=AT_ONCE_MS)
    expect(notices).to_be_empty()
    call.complete("One two three four")
    expect(text(page, "complete")).to_have_text("One two three four")


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
def test_what_was_asked_for_when_the_network_went_is_asked_for_again(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    Held(page, "**/events?*")
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


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
def test_a_network_that_comes_and_goes_repeats_no_text(context: BrowserContext, upstream: Upstream):
    context.add_init_script(NO_SPREAD)
    page = begun(context, upstream)
    page.route("**/events?*", lambda route: route.abort(), times=1)
    with page.expect_event("requestfailed", is_stream):
        say(page, "Go on")
    call = upstream.next_call().start_stream()
    held = Held(page, "**/events?*")
    with page.expect_request(is_stream):
        fire(page, "online")
    fire(page, "online")
    held.release()
    for more, heard in (("One", "One"), (" two", "One two"), (" three", "One two three")):
        call.delta(more)
        expect(text(page)).to_have_text(heard)
    call.complete("One two three")
    expect(text(page, "complete", 1)).to_have_text("One two three")
