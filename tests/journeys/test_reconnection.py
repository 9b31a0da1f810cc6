"""Reply streams that break off or are opened again: the page shows the whole reply once."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect
from sqlalchemy import delete

from tests.journeys.stream_requests import DISABLE_JITTER, StreamRequestLog
from tests.journeys.window import copy_cookies, dispatch_window_event
from tests.support.chromium import SLOWDOWN
from tests.support.page_steps import (
    lost_connection,
    open_conversation,
    open_streaming_conversation,
    progress,
    reply_text,
    send_message,
    turn,
)
from tests.support.tcp_proxy import TcpProxy
from tests.support.traffic import DelayedRequest, is_stream_request, wait_on_page
from tests.support.upstream import Upstream
from tests.support.waiting import wait_until
from twindow.chat.log.entries import build_reply
from twindow.web.container import Portal
from twindow.web.session.rows import sessions

STREAMS = "**/events?*"
RECENT = "**/conversations/recent*"
AT_ONCE_MS = 5_000 * SLOWDOWN
SHOWN_WITHIN_MS = 7_000
STEP_MS = 500
RETRIED_WITHIN_MS = 10_000
QUIET_MS = 5_000
# Enough time for six requests at growing intervals.
ASKED_MS = 30_000
MINUTE_MS = 60_000
LOGIN = "<html><body><h1>Sign in</h1><form><input name=user></form></body></html>"
COUNT_KEEP_ALIVES = "window.seen = 0; document.addEventListener('ping', () => { seen += 1 })"
NOTE_RESPONSE = """() => addEventListener("htmx:finally:request", ({ detail: { ctx } }) => {
  globalThis.isHandled ||= ctx.sourceElement.id === "recent";
})"""


@pytest.fixture
def url(tcp_proxy: TcpProxy) -> str:
    return tcp_proxy.url


def answer_streams(page: Page, status: int) -> None:
    """Answer every request for a stream as a proxy does that has no connection to the portal."""
    body = LOGIN if status != 204 else ""
    page.route(STREAMS, lambda route: route.fulfill(status=status, body=body))


@pytest.mark.fault("F71")
@pytest.mark.usefixtures("bad_network")
def test_lost_connection_is_shown_and_disables_stop_until_the_stream_is_back(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy
):
    context.add_init_script(DISABLE_JITTER)
    context.clock.install()
    page, call = open_streaming_conversation(context, upstream, "One")
    stop = page.get_by_role("button", name="Stop")
    text = "One"
    for lose_connection in (tcp_proxy.drop_connections, tcp_proxy.stall_connections):
        expect(stop).to_be_enabled()
        page.route(STREAMS, lambda route: route.abort("connectionrefused"))
        lose_connection()
        # In steps, because the announcement is cleared after a few seconds.
        for _ in range(SHOWN_WITHIN_MS // STEP_MS):
            if not lost_connection(page).is_visible():
                page.clock.run_for(STEP_MS)
        expect(lost_connection(page)).to_be_visible()
        expect(stop).to_be_disabled()
        expect(page.locator("#announcer")).to_have_text("Connection lost. Reconnecting…")

        page.unroute_all()
        call.delta(" more")
        text += " more"
        StreamRequestLog(page).advance(RETRIED_WITHIN_MS)
        expect(reply_text(page)).to_have_text(text)
        expect(lost_connection(page)).to_have_count(0)

    expect(stop).to_be_enabled()
    stop.click()
    assert call.wait_for_disconnect()


@pytest.mark.fault("F68")
@pytest.mark.usefixtures("bad_network")
def test_retries_slow_down_while_a_proxy_answers_the_stream(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy
):
    context.add_init_script(DISABLE_JITTER)
    page = open_conversation(context, upstream)
    page.clock.install()
    for number, (status, is_open) in enumerate(
        ((200, True), (500, True), (200, False), (204, False)), 1
    ):
        if is_open:
            send_message(page, "More")
            call = upstream.next_call().start_stream()
            call.delta("One")
            expect(reply_text(page)).to_have_text("One")
        answer_streams(page, status)
        asked = StreamRequestLog(page)
        if is_open:
            tcp_proxy.drop_connections()
        else:
            send_message(page, "More")
            call = upstream.next_call().start_stream()
            turn(page, "waiting").wait_for()
        asked.advance(ASKED_MS)

        assert asked.has_growing_gaps(), (status, is_open, asked.requested_at_ms)
        asked.stop()
        expect(lost_connection(page)).to_have_count(1)
        expect(page.get_by_text("Sign in")).to_have_count(0)
        page.unroute(STREAMS)
        call.delta(" At last")
        page.clock.run_for(MINUTE_MS)
        expect(reply_text(page)).to_have_text("One At last" if is_open else "At last")
        expect(lost_connection(page)).to_have_count(0)
        call.complete()
        expect(reply_text(page, "complete", number)).to_contain_text("At last")


@pytest.mark.usefixtures("bad_network")
def test_quiet_reply_keeps_its_connection_and_shows_no_reconnects(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy, portal: Portal
):
    portal.log.keepalive_seconds = 0.05
    context.add_init_script(DISABLE_JITTER)
    page = open_conversation(context, upstream)
    page.clock.install()
    page.evaluate(COUNT_KEEP_ALIVES)
    asked = StreamRequestLog(page)
    send_message(page, "More")
    call = upstream.next_call().start_stream()
    turn(page, "waiting").wait_for()
    for does_drop in (False, False, True, True, True):
        if does_drop:
            with page.expect_response(lambda answer: is_stream_request(answer.request)):
                tcp_proxy.drop_connections()
                asked.advance(QUIET_MS)
        else:
            page.clock.run_for(QUIET_MS)
        seen = page.evaluate("seen")
        wait_on_page(page, lambda seen=seen: page.evaluate("seen") > seen)
        expect(progress(page)).to_have_text("Ada has your message…")
        expect(lost_connection(page)).to_have_count(0)
    call.complete("At last")
    expect(reply_text(page, "complete", 1)).to_have_text("At last")


@pytest.mark.fault("F69")
@pytest.mark.usefixtures("bad_network")
def test_page_says_that_its_session_has_ended_and_the_reply_is_still_completed(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy, portal: Portal
):
    context.add_init_script(DISABLE_JITTER)
    context.clock.install()
    page, call = open_streaming_conversation(context, upstream, "One")
    asked = StreamRequestLog(page)
    with portal.database.write() as connection:
        connection.execute(delete(sessions))
    tcp_proxy.drop_connections()
    asked.advance(ASKED_MS)
    expect(progress(page)).to_contain_text("This reply can no longer be shown here")
    expect(reply_text(page)).to_have_text("One")
    assert len(asked.requested_at_ms) == 1

    call.complete("One two")
    turn_id = page.locator(".turn").get_attribute("data-turn") or ""
    wait_until(lambda: build_reply(portal.log.read(turn_id)).state == "complete")
    assert build_reply(portal.log.read(turn_id)).text == "One two"


@pytest.mark.fault("F67")
@pytest.mark.usefixtures("bad_network")
def test_offline_page_says_so_and_catches_up_when_online(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy
):
    page = open_conversation(context, upstream)
    page.clock.install()
    notices = page.locator("#notices")
    for number, break_off in enumerate(
        (tcp_proxy.drop_connections, tcp_proxy.stall_connections, None), 1
    ):
        if not break_off:
            DelayedRequest(page, STREAMS)  # the first request of the stream is never answered
        with page.expect_request(is_stream_request):
            send_message(page, "Go on")
        call = upstream.next_call().start_stream()
        if break_off:
            call.delta("One two")
            expect(reply_text(page)).to_have_text("One two")
        context.set_offline(True)
        expect(notices).to_contain_text("You're offline")
        if break_off:
            break_off()
            call.delta(" three")
            page.clock.fast_forward(60_000)
            expect(reply_text(page)).to_have_text("One two")
            expect(notices).to_contain_text("You're offline")

        context.set_offline(False)
        dispatch_window_event(page, "online")  # some browsers report it twice
        if not break_off:
            call.delta("One two three")
        expect(reply_text(page)).to_have_text("One two three", timeout=AT_ONCE_MS)
        expect(notices).to_be_empty()
        call.complete("One two three four")
        expect(reply_text(page, "complete", number)).to_have_text("One two three four")


def lose_network(page: Page) -> None:
    dispatch_window_event(page, "offline")


def lose_request(page: Page) -> None:
    page.route("**/turns", lambda route: route.abort())
    page.get_by_role("button", name="Try again").click()


@pytest.mark.usefixtures("bad_network")
@pytest.mark.parametrize(
    ("fail", "notice"), [(lose_network, "You're offline"), (lose_request, "Can't reach the server")]
)
def test_response_to_an_earlier_request_does_not_take_a_notice_back(
    context: BrowserContext, upstream: Upstream, fail: Callable[[Page], None], notice: str
):
    page = open_conversation(context, upstream)
    page.route(RECENT, lambda _: None)  # later requests are not answered
    recent = DelayedRequest(page, RECENT)
    send_message(page, "Go on")
    upstream.next_call().start_stream().complete("One two")
    expect(reply_text(page, "complete", 1)).to_have_text("One two")
    fail(page)
    expect(page.locator("#notices")).to_contain_text(notice)
    page.evaluate(NOTE_RESPONSE)
    recent.release()
    page.wait_for_function("() => globalThis.isHandled")
    expect(page.locator("#notices")).to_contain_text(notice)


@pytest.mark.fault("F64", "F65")
def test_reloads_tabs_and_devices_show_the_whole_reply_once(
    context: BrowserContext, upstream: Upstream, browser: Browser, url: str
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
    call.complete("One two three four")
    for each in (page, tab, other):
        expect(reply_text(each, "complete")).to_have_text("One two three four")
        expect(each.locator(".turn")).to_have_count(1)
    device.close()
