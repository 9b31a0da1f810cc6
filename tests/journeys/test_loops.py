"""A reply that cannot be followed: nobody asks for it in a loop, and the page says so."""

from __future__ import annotations

import threading

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import delete

from blueprints.current import Portal
from chat.entries import fold
from chat.tables import sessions
from tests.journeys.page_clock import NO_SPREAD, Asked
from tests.journeys.steps import progress, say, talking, text
from tests.journeys.traffic import CONVERSATION, is_stream
from tests.support.tcp_proxy import Wire
from tests.support.upstream import Upstream

pytestmark = pytest.mark.usefixtures("bad_network")

STREAMS = "**/events?*"
LOGIN = "<html><body><h1>Sign in</h1><form><input name=user></form></body></html>"
HTML = "text/html; charset=utf-8"
ANSWERS = {
    "204": {"status": 204},
    "login page": {"status": 200, "body": LOGIN, "content_type": HTML},
    "401": {"status": 401, "body": LOGIN, "content_type": HTML},
    "500": {"status": 500, "body": LOGIN, "content_type": HTML},
}
MINUTE_MS = 60_000
SAID_MS = 1_000
CANNOT = "cannot be followed now"


@pytest.fixture
def url(wire: Wire) -> str:
    return wire.url


def answered_so(page: Page, answer: str) -> None:
    page.route(STREAMS, lambda route: route.fulfill(**ANSWERS[answer]))


@pytest.mark.fault("F68")
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_reply_that_cannot_be_followed_again_is_asked_for_ever_more_rarely(
    context: BrowserContext, upstream: Upstream, wire: Wire, answer: str
):
    context.add_init_script(NO_SPREAD)
    page, call = talking(context, upstream, "One")
    answered_so(page, answer)
    page.clock.install()
    asked = Asked(page)
    wire.cut()
    asked.spend(MINUTE_MS)

    assert asked.ever_more_rarely(), asked.at
    expect(progress(page)).to_contain_text(CANNOT, timeout=SAID_MS)
    expect(text(page)).to_have_text("One")
    expect(page.get_by_text("Sign in")).to_have_count(0)

    page.unroute(STREAMS)
    call.complete("One two")
    page.clock.run_for(MINUTE_MS)
    expect(text(page, "complete")).to_have_text("One two")


@pytest.mark.fault("F68")
@pytest.mark.parametrize("answer", ANSWERS)
def test_a_reply_that_cannot_be_followed_at_all_is_asked_for_ever_more_rarely(
    context: BrowserContext, upstream: Upstream, answer: str
):
    context.add_init_script(NO_SPREAD)
    page = context.new_page()
    page.clock.install()
    answered_so(page, answer)
    asked = Asked(page)
    page.goto("/twins/ada")
    say(page, "Hello")
    call = upstream.next_call().start_stream()
    expect(page).to_have_url(CONVERSATION)
    asked.spend(MINUTE_MS)

    assert asked.ever_more_rarely(), asked.at
    expect(progress(page)).to_contain_text(CANNOT, timeout=SAID_MS)
    expect(page.get_by_text("Sign in")).to_have_count(0)
    expect(page.get_by_role("button", name="Stop")).to_be_visible()

    page.unroute(STREAMS)
    call.delta("At last")
    page.clock.run_for(MINUTE_MS)
    expect(text(page)).to_have_text("At last")
    expect(progress(page)).to_be_empty()
    call.complete("At last it came")
    expect(text(page, "complete")).to_have_text("At last it came")


@pytest.mark.fault("F68")
def test_a_portal_that_is_gone_is_asked_for_ever_more_rarely_and_the_page_says_so(
    context: BrowserContext, upstream: Upstream, wire: Wire
):
    context.add_init_script(NO_SPREAD)
    page, _ = talking(context, upstream, "One")
    page.clock.install()
    asked = Asked(page)
    page.route(STREAMS, lambda route: route.abort("connectionrefused"))
    wire.cut()
    asked.spend(MINUTE_MS)

    # After 0.4, 0.8, 1.6 and 3.2 seconds, and then each 6.4: eight less a fifth.
    assert asked.ever_more_rarely(most=13), asked.at
    expect(progress(page)).to_contain_text(CANNOT, timeout=SAID_MS)


@pytest.mark.fault("F68")
def test_a_quiet_reply_whose_stream_breaks_off_is_not_said_to_be_out_of_reach(
    context: BrowserContext, upstream: Upstream, wire: Wire
):
    context.add_init_script(NO_SPREAD)
    page = context.new_page()
    page.goto("/twins/ada")
    page.clock.install()
    asked = Asked(page)
    say(page, "Hello")
    call = upstream.next_call().start_stream()
    expect(page).to_have_url(CONVERSATION)
    page.wait_for_load_state()
    for _ in range(5):
        with page.expect_response(lambda answer: is_stream(answer.request)):
            wire.cut()
            asked.spend(5_000)
        expect(progress(page)).to_have_text("Ada has your message…", timeout=SAID_MS)
    call.complete("At last")
    expect(text(page, "complete")).to_have_text("At last")


def lose_the_cookie(context: BrowserContext, portal: Portal) -> None:
    context.clear_cookies()


def lose_the_session(context: BrowserContext, portal: Portal) -> None:
    with portal.database.write() as connection:
        connection.execute(delete(sessions))


def wait_for_the_producer(turn_id: str) -> None:
    for thread in threading.enumerate():
        if thread.name == f"turn-{turn_id}":
            thread.join(10)


@pytest.mark.fault("F69")
@pytest.mark.parametrize("lose", [lose_the_cookie, lose_the_session])
def test_whoever_is_signed_out_in_mid_stream_is_told_and_the_reply_is_finished(
    context: BrowserContext, upstream: Upstream, wire: Wire, portal: Portal, lose
):
    context.add_init_script(NO_SPREAD)
    page, call = talking(context, upstream, "One")
    page.clock.install()
    asked = Asked(page)
    lose(context, portal)
    wire.cut()
    asked.spend(5_000)
    expect(progress(page)).to_contain_text("This reply cannot be shown here any more")
    asked.spend(MINUTE_MS)
    assert len(asked.at) == 1
    expect(text(page)).to_have_text("One")

    call.complete("One two")
    turn_id = page.locator(".turn").get_attribute("data-turn") or ""
    wait_for_the_producer(turn_id)
    reply = fold(portal.log.read(turn_id))
    assert (reply.state, reply.text) == ("complete", "One two")
