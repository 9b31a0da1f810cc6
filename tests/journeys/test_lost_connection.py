"""Lost connections: the page reports them, and *Stop* is disabled until the stream is back."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import lost_connection, open_streaming_conversation, reply_text
from tests.journeys.stream_requests import DISABLE_JITTER, StreamRequestLog
from tests.journeys.traffic import wait_on_page
from tests.support.tcp_proxy import TcpProxy
from tests.support.upstream import Upstream
from web.container import Portal

pytestmark = pytest.mark.usefixtures("bad_network")

STREAMS = "**/events?*"
SHOWN_WITHIN_MS = 7_000
STEP_MS = 500
RETRIED_WITHIN_MS = 10_000
QUIET_MS = 5_000
COUNT_KEEP_ALIVES = "window.seen = 0; document.addEventListener('ping', () => { seen += 1 })"


@pytest.fixture
def url(tcp_proxy: TcpProxy) -> str:
    return tcp_proxy.url


def kill_server(tcp_proxy: TcpProxy) -> None:
    tcp_proxy.drop_connections()


def unplug_server(tcp_proxy: TcpProxy) -> None:
    tcp_proxy.stall_connections()


@pytest.mark.fault("F71")
@pytest.mark.parametrize("lose_connection", [kill_server, unplug_server])
def test_lost_connection_is_shown_and_disables_stop_until_the_stream_is_back(
    lose_connection: Callable[[TcpProxy], None],
    context: BrowserContext,
    upstream: Upstream,
    tcp_proxy: TcpProxy,
):
    context.add_init_script(DISABLE_JITTER)
    context.clock.install()
    page, call = open_streaming_conversation(context, upstream, "One")
    stop = page.get_by_role("button", name="Stop")
    call.delta(" two")
    expect(reply_text(page)).to_have_text("One two")
    expect(lost_connection(page)).to_have_count(0)
    expect(stop).to_be_enabled()

    page.route(STREAMS, lambda route: route.abort("connectionrefused"))
    lose_connection(tcp_proxy)
    # In steps, because the announcement is cleared after a few seconds.
    for _ in range(SHOWN_WITHIN_MS // STEP_MS):
        if not lost_connection(page).is_visible():
            page.clock.run_for(STEP_MS)
    expect(lost_connection(page)).to_be_visible()
    expect(stop).to_be_disabled()
    expect(page.locator("#announcer")).to_have_text("Connection lost. Reconnecting…")

    page.unroute_all()
    call.delta(" three")
    StreamRequestLog(page).advance(RETRIED_WITHIN_MS)
    expect(reply_text(page)).to_have_text("One two three")
    expect(lost_connection(page)).to_have_count(0)
    expect(stop).to_be_enabled()
    stop.click()
    assert call.wait_for_disconnect()


def test_reply_that_is_quiet_for_long_keeps_its_connection(
    context: BrowserContext, upstream: Upstream, portal: Portal
):
    portal.log.keepalive_seconds = 0.05
    context.clock.install()
    page, call = open_streaming_conversation(context, upstream, "One")
    page.evaluate(COUNT_KEEP_ALIVES)
    for _ in range(3):
        page.clock.run_for(QUIET_MS)
        seen = page.evaluate("seen")
        wait_on_page(page, lambda seen=seen: page.evaluate("seen") > seen)
        expect(lost_connection(page)).to_have_count(0)
    call.complete("One two")
    expect(reply_text(page, "complete")).to_have_text("One two")
