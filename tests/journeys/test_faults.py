"""A service that is silent, a page without its script, a twin that is gone."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from blueprints.look import STILL_WAITING_SECONDS
from tests.journeys.steps import begun, box, progress, say, talking, text, turn
from tests.journeys.traffic import CONVERSATION, until
from tests.support.clock import AdjustableClock
from tests.support.upstream import TWINS, Upstream

IDLE_SECONDS = 5
# Longer than that: what is expected comes only then.
PATIENCE_MS = 4 * IDLE_SECONDS * 1000
NOT_AVAILABLE = "Ada is not available any more. What was said here is kept."


@pytest.fixture
def impatient(settings: dict[str, Any], request: pytest.FixtureRequest) -> None:
    """Give a silent reply up soon, and look often for what to say of it."""
    settings["api_idle_timeout"] = IDLE_SECONDS
    request.getfixturevalue("portal").log.quiet_seconds = 0.1


def still_waiting(page: Page, clock: AdjustableClock) -> bool:
    """Let a long time pass, and return whether the page says that it waits."""
    clock.advance(STILL_WAITING_SECONDS)
    return progress(page).last.inner_text() == "Still waiting for Ada…"


@pytest.mark.fault("F39")
@pytest.mark.usefixtures("impatient")
def test_silence_is_said_and_then_given_up(
    context: BrowserContext, upstream: Upstream, clock: AdjustableClock
):
    page = context.new_page()
    page.goto("/twins/ada")
    say(page, "Hello")
    call = upstream.next_call().start_stream()
    until(page, lambda: still_waiting(page, clock))

    cut = turn(page, "interrupted")
    expect(cut.locator(".note")).to_contain_text("was quiet for too long", timeout=PATIENCE_MS)
    expect(cut.get_by_role("button", name="Retry")).to_be_visible()
    expect(progress(page)).to_have_count(0)
    assert call.wait_for_disconnect()


@pytest.mark.fault("F39")
@pytest.mark.usefixtures("impatient")
def test_silence_is_said_without_script_as_well(
    plain: BrowserContext, upstream: Upstream, clock: AdjustableClock
):
    page = plain.new_page()
    page.goto("/twins/ada")
    say(page, "Hello")
    upstream.next_call().start_stream()
    until(page, lambda: still_waiting(page, clock))

    cut = turn(page, "interrupted")
    expect(cut.locator(".note")).to_be_visible(timeout=PATIENCE_MS)
    expect(cut.get_by_role("button", name="Retry")).to_be_visible()


@pytest.mark.fault("F84")
def test_without_script_the_whole_reply_appears_by_itself(
    plain: BrowserContext, upstream: Upstream
):
    page, call = talking(plain, upstream, "One")
    call.complete("One **two**")
    expect(text(page, "complete").locator("strong")).to_have_text("two")
    expect(page.locator("noscript meta")).to_have_count(0)


@pytest.mark.fault("F84")
@pytest.mark.usefixtures("bad_network")
def test_where_the_script_did_not_load_forms_work_and_a_link_shows_the_rest(
    context: BrowserContext, upstream: Upstream
):
    context.route("**/twindow.*.js", lambda route: route.abort())
    page = context.new_page()
    page.goto("/twins/ada")
    for number, words in enumerate(("Hello", "Second")):
        say(page, words)
        call = upstream.next_call().start_stream()
        expect(turn(page, "waiting")).to_contain_text(words)
        page.get_by_role("link", name="Watch it being written").click()
        call.delta("One")
        expect(text(page)).to_have_text("One", use_inner_text=True)
        call.delta(" two")
        expect(text(page)).to_have_text("One two", use_inner_text=True)
        call.complete(f"{words} heard")
        expect(text(page, "complete", number)).to_have_text(f"{words} heard", use_inner_text=True)
    assert upstream.sent_messages() == ["Hello", "Second"]


@pytest.mark.fault("F86")
@pytest.mark.usefixtures("forgetful")
def test_a_twin_that_is_gone_leaves_what_was_said_and_takes_no_more(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    there = page.url
    upstream.twins = TWINS[1:]
    page.goto("/")
    expect(page.get_by_role("link", name="Ada")).to_have_count(0)

    page.goto(there)
    expect(text(page, "complete")).to_have_text("Hello to you")
    expect(page.locator("#composer .note")).to_contain_text(NOT_AVAILABLE)
    expect(box(page)).to_be_disabled()
    expect(page.get_by_role("button", name="Send")).to_be_disabled()


@pytest.mark.fault("F86")
def test_words_for_a_twin_that_went_away_can_begin_anew(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    there = page.url
    say(page, "Are you there?")
    upstream.next_call().respond(404, {"error": "no such conversation"})

    gone = turn(page, "failed")
    expect(gone.locator(".note")).to_contain_text("is no longer there at the service")
    expect(text(page, "complete")).to_have_text("Hello to you")
    gone.get_by_role("button", name="Start new with this text").click()
    expect(page).to_have_url(CONVERSATION)
    upstream.next_call().start_stream().complete("I am")
    expect(text(page, "complete")).to_have_text("I am")
    assert page.url != there
    assert upstream.sent_messages() == ["Hello", "Are you there?", "Are you there?"]


@pytest.mark.fault("F86")
@pytest.mark.usefixtures("forgetful")
def test_a_twin_that_was_renamed_keeps_its_conversation(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    there = page.url
    upstream.twins = [{**TWINS[0], "name": "Ada Lovelace"}]
    page.goto("/")
    expect(page.get_by_role("link", name="Ada Lovelace")).to_be_visible()

    page.goto(there)
    expect(text(page, "complete")).to_have_text("Hello to you")
    say(page, "Still you?")
    upstream.next_call().start_stream().complete("Still me")
    expect(text(page, "complete", 1)).to_have_text("Still me")
