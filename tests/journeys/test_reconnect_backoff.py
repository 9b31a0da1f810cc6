"""Replies whose stream is unavailable: retries slow down, and the page shows a notice."""

from __future__ import annotations

import threading
from functools import partial

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import delete

from chat.log.entries import build_reply
from chat.schema import sessions
from tests.journeys.steps import (
    lost_connection,
    open_conversation,
    open_streaming_conversation,
    progress,
    reply_text,
    send_message,
    turn,
)
from tests.journeys.stream_requests import DISABLE_JITTER, StreamRequestLog
from tests.journeys.traffic import CONVERSATION_URL, is_stream_request, wait_on_page
from tests.support.tcp_proxy import TcpProxy
from tests.support.upstream import Call, Upstream
from web.container import Portal

pytestmark = pytest.mark.usefixtures("bad_network")

STREAMS = "**/events?*"
LOGIN = "<html><body><h1>Sign in</h1><form><input name=user></form></body></html>"
HTML = "text/html; charset=utf-8"
ANSWERS = {
    "204": {"status": 204},
    "login page": {"status": 200, "body": LOGIN, "content_type": HTML},
    "500": {"status": 500, "body": LOGIN, "content_type": HTML},
}
REFUSED = "connection refused"
GONE = "This reply can no longer be shown here"
# Enough time for six requests at growing intervals.
ASKED_MS = 30_000
MINUTE_MS = 60_000


@pytest.fixture
def url(tcp_proxy: TcpProxy) -> str:
    return tcp_proxy.url


def answer_streams(page: Page, answer: str) -> None:
    if answer == REFUSED:
        page.route(STREAMS, lambda route: route.abort("connectionrefused"))
    else:
        page.route(STREAMS, lambda route: route.fulfill(**ANSWERS[answer]))


def retry_errors(page: Page, asked: StreamRequestLog) -> list[object]:
    """Let the page retry for `ASKED_MS`; return what is wrong with its requests and its notices."""
    asked.advance(ASKED_MS)
    page.remove_listener("request", asked._record_request)
    wrong: list[object] = [] if asked.has_growing_gaps() else [asked.requested_at_ms]
    if not lost_connection(page).count():
        wrong.append(page.inner_text(".turn:last-child"))
    if page.get_by_text("Sign in").count() or not page.get_by_role("button", name="Stop").count():
        wrong.append(page.inner_text("body"))
    return wrong


def assert_stream_resumes(page: Page, call: Call, number: int) -> None:
    page.unroute(STREAMS)
    call.delta(" At last")
    page.clock.run_for(MINUTE_MS)
    expect(reply_text(page)).to_contain_text("At last")
    expect(progress(page)).to_be_empty()
    expect(lost_connection(page)).to_have_count(0)
    call.delta(f" {number}")
    call.complete()
    expect(reply_text(page, "complete", number)).to_contain_text(f"At last {number}")


@pytest.mark.fault("F68")
def test_retries_slow_down_when_a_broken_stream_cannot_be_reopened(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy
):
    context.add_init_script(DISABLE_JITTER)
    page = open_conversation(context, upstream)
    page.clock.install()
    wrong = []
    for number, answer in enumerate([*ANSWERS, REFUSED], 1):
        send_message(page, "More")
        call = upstream.next_call().start_stream()
        call.delta("One")
        expect(reply_text(page)).to_have_text("One")
        answer_streams(page, answer)
        asked = StreamRequestLog(page)
        tcp_proxy.drop_connections()
        wrong += [(answer, each) for each in retry_errors(page, asked)]
        expect(reply_text(page)).to_have_text("One")
        assert_stream_resumes(page, call, number)

    assert wrong == []


@pytest.mark.fault("F68")
def test_retries_slow_down_when_a_stream_can_never_be_opened(
    context: BrowserContext, upstream: Upstream
):
    context.add_init_script(DISABLE_JITTER)
    page = open_conversation(context, upstream)
    page.clock.install()
    wrong = []
    for number, answer in enumerate(ANSWERS, 1):
        answer_streams(page, answer)
        asked = StreamRequestLog(page)
        send_message(page, "More")
        call = upstream.next_call().start_stream()
        turn(page, "waiting").wait_for()
        wrong += [(answer, each) for each in retry_errors(page, asked)]
        assert_stream_resumes(page, call, number)

    assert wrong == []


@pytest.mark.fault("F68")
def test_reconnects_of_a_quiet_reply_show_no_connection_error(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy, portal: Portal
):
    portal.log.keepalive_seconds = 0.1
    context.add_init_script(DISABLE_JITTER)
    page = context.new_page()
    page.goto("/twins/ada")
    page.clock.install()
    asked = StreamRequestLog(page)
    send_message(page, "Hello")
    call = upstream.next_call().start_stream()
    expect(page).to_have_url(CONVERSATION_URL)
    page.wait_for_load_state()
    for _ in range(5):
        with page.expect_response(lambda answer: is_stream_request(answer.request)):
            tcp_proxy.drop_connections()
            asked.advance(5_000)
        expect(progress(page)).to_have_text("Ada has your message…")
        expect(lost_connection(page)).to_have_count(0)
    call.complete("At last")
    expect(reply_text(page, "complete")).to_have_text("At last")


def lose_the_cookie(context: BrowserContext, portal: Portal) -> None:
    context.clear_cookies()


def lose_the_session(context: BrowserContext, portal: Portal) -> None:
    with portal.database.write() as connection:
        connection.execute(delete(sessions))


def wait_for_reply_worker(turn_id: str) -> None:
    for thread in threading.enumerate():
        if thread.name == f"turn-{turn_id}":
            thread.join(10)


def shows_reply_unavailable(page: Page, asked: StreamRequestLog) -> bool:
    """Advance the page's clock by a second; return whether the page shows `GONE`."""
    asked.advance(1_000)
    return GONE in progress(page).inner_text()


@pytest.mark.fault("F69")
def test_page_reports_that_its_session_is_lost_and_the_reply_is_still_completed(
    context: BrowserContext, upstream: Upstream, tcp_proxy: TcpProxy, portal: Portal
):
    context.add_init_script(DISABLE_JITTER)
    context.clock.install()
    for lose in (lose_the_cookie, lose_the_session):
        page, call = open_streaming_conversation(context, upstream, "One")
        asked = StreamRequestLog(page)
        lose(context, portal)
        tcp_proxy.drop_connections()
        wait_on_page(page, partial(shows_reply_unavailable, page, asked))
        asked.advance(ASKED_MS)
        assert len(asked.requested_at_ms) == 1
        expect(reply_text(page)).to_have_text("One")

        call.complete("One two")
        turn_id = page.locator(".turn").get_attribute("data-turn") or ""
        wait_for_reply_worker(turn_id)
        reply = build_reply(portal.log.read(turn_id))
        assert (reply.state, reply.text) == ("complete", "One two")
        page.close()
