"""A reply that is left and reopened: complete, without gaps or repetitions."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.journeys.conftest import PageErrors
from tests.journeys.steps import (
    message_box,
    open_conversation,
    open_streaming_conversation,
    reply_text,
    send_message,
    send_while_replying,
)
from tests.journeys.stream_requests import DISABLE_JITTER
from tests.journeys.traffic import DelayedRequest, is_stream_request, record_requests
from tests.journeys.window import copy_cookies, dispatch_window_event
from tests.support.tcp_proxy import TcpProxy
from tests.support.upstream import Upstream

AT_ONCE_MS = 5_000
STREAMS = "**/events?*"


@pytest.fixture
def url(tcp_proxy: TcpProxy) -> str:
    return tcp_proxy.url


@pytest.mark.fault("F64", "F65")
def test_reloads_tabs_and_devices_show_the_whole_reply_once(
    context: BrowserContext, upstream: Upstream, browser: Browser, url: str, page_errors: PageErrors
):
    page, call = open_streaming_conversation(context, upstream, "One")
    for text, more in (("One", " two"), ("One two", " three")):
        page.reload()
        expect(reply_text(page)).to_have_text(text)
        call.delta(more)
        expect(reply_text(page)).to_have_text(text + more)

    device = browser.new_context(base_url=url)
    copy_cookies(context, device)
    tab, other = context.new_page(), device.new_page()
    for each in (tab, other):
        each.goto(page.url)
        expect(reply_text(each)).to_have_text("One two three")
    call.delta(" four")
    for each in (page, tab, other):
        expect(reply_text(each)).to_have_text("One two three four")

    send_while_replying(tab, "Written there")
    expect(tab.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    expect(message_box(tab)).to_have_value("Written there")
    call.complete("One two three four five")
    for each in (page, tab, other):
        expect(reply_text(each, "complete")).to_have_text("One two three four five")
        expect(each.locator(".turn")).to_have_count(1)
    device.close()
    message_box(tab).press("Enter")
    upstream.next_call().start_stream().complete("Six")
    expect(reply_text(tab, "complete", 1)).to_have_text("Six")
    assert upstream.sent_messages() == ["Hello", "Written there"]
    assert all("409" in line for line in page_errors)
    page_errors.clear()


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
def test_offline_page_says_so_and_catches_up_when_online(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy
):
    page = open_conversation(context, upstream)
    page.clock.install()
    notices = page.locator("#notices")
    for number, break_off in enumerate(
        (tcp_proxy.drop_connections, tcp_proxy.stall_connections), 1
    ):
        send_message(page, "Go on")
        call = upstream.next_call().start_stream()
        call.delta("One two")
        expect(reply_text(page)).to_have_text("One two")  # the stream is open
        context.set_offline(True)
        break_off()
        expect(notices).to_contain_text("You're offline")
        call.delta(" three")
        page.clock.fast_forward(60_000)
        expect(reply_text(page)).to_have_text("One two")
        expect(notices).to_contain_text("You're offline")

        context.set_offline(False)
        expect(reply_text(page)).to_have_text("One two three", timeout=AT_ONCE_MS)
        expect(notices).to_be_empty()
        call.complete("One two three four")
        expect(reply_text(page, "complete", number)).to_have_text("One two three four")


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
def test_first_stream_request_is_retried_when_the_network_returns(
    context: BrowserContext, upstream: Upstream
):
    context.add_init_script(DISABLE_JITTER)
    page = open_conversation(context, upstream)
    DelayedRequest(page, STREAMS)
    asked = record_requests(page, is_stream_request)
    with page.expect_request(is_stream_request):
        send_message(page, "Go on")
    call = upstream.next_call().start_stream()
    context.set_offline(True)
    expect(page.locator("#notices")).to_contain_text("You're offline")
    context.set_offline(False)
    call.delta("One")
    expect(reply_text(page)).to_have_text("One", timeout=AT_ONCE_MS)
    call.complete("One two")
    expect(reply_text(page, "complete", 1)).to_have_text("One two")
    assert len(asked) == 2

    refused = DelayedRequest(page, STREAMS)
    send_message(page, "Go on")
    with page.expect_event("requestfailed", is_stream_request):
        refused.abort()
    call = upstream.next_call().start_stream()
    held = DelayedRequest(page, STREAMS)
    with page.expect_request(is_stream_request):
        dispatch_window_event(page, "online")
    dispatch_window_event(page, "online")
    held.release()
    for more, text in (("One", "One"), (" two", "One two"), (" three", "One two three")):
        call.delta(more)
        expect(reply_text(page)).to_have_text(text)
    call.complete("One two three")
    expect(reply_text(page, "complete", 2)).to_have_text("One two three")
