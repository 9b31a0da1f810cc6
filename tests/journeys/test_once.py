"""One press of a button is one message, whatever browsers and networks make of it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from tests.journeys.conftest import Surprises
from tests.journeys.steps import (
    begun,
    box,
    double_click,
    enter_twice,
    say,
    say_too_early,
    text,
    turn,
)
from tests.journeys.traffic import FORMS, Held, is_post, post_answers, requests_of
from tests.support.upstream import Upstream

FIRST = "/api/v1/conversations/up-1/messages/stream"

Press = Callable[[Page], None]


@pytest.mark.fault("F62")
@pytest.mark.parametrize("press", [double_click, enter_twice])
def test_a_nervous_first_press_begins_one_conversation(
    context: BrowserContext, upstream: Upstream, press: Press
):
    page = context.new_page()
    page.goto("/twins/ada")
    box(page).fill("once")
    press(page)

    upstream.next_call().start_stream().complete("ok")
    expect(turn(page, "complete")).to_contain_text("ok")
    page.goto("/conversations")
    expect(page.get_by_role("link", name="once")).to_have_count(1)
    assert upstream.sent_messages() == ["once"]


@pytest.mark.fault("F62")
@pytest.mark.parametrize("press", [double_click, enter_twice])
def test_a_nervous_press_is_one_message_and_one_turn(
    context: BrowserContext, upstream: Upstream, press: Press
):
    page = begun(context, upstream)
    box(page).fill("once")
    press(page)

    call = upstream.next_call().start_stream()
    call.delta("It is")
    expect(text(page)).to_have_text("It is")
    call.complete("It is live")
    expect(text(page, "complete", 1)).to_have_text("It is live")
    expect(page.locator(".turn")).to_have_count(2)
    page.reload()
    expect(page.locator(".turn")).to_have_count(2)
    assert upstream.sent_messages() == ["Hello", "once"]


@pytest.mark.fault("F62")
def test_retry_pressed_twice_is_one_turn_and_live(context: BrowserContext, upstream: Upstream):
    page = begun(context, upstream)
    say(page, "again")
    upstream.next_call().respond(500, {})
    failed = turn(page, "failed")
    posts = requests_of(page, is_post)
    # The answer to the first press would take the button away.
    held = Held(page, FORMS)
    failed.get_by_role("button", name="Retry").dblclick()
    held.release()

    call = upstream.next_call().start_stream()
    call.delta("Here")
    expect(text(page)).to_have_text("Here")
    call.complete("Here it is")
    expect(text(page, "complete", 1)).to_have_text("Here it is")
    expect(page.locator(".turn")).to_have_count(3)
    assert len(posts) == 2
    assert upstream.sent_messages() == ["Hello", "again", "again"]


@pytest.mark.fault("F62")
def test_a_reload_after_a_form_sends_nothing(plain: BrowserContext, upstream: Upstream):
    page = plain.new_page()
    page.goto("/twins/ada")
    posts = requests_of(page, is_post)
    say(page, "once")
    upstream.next_call().start_stream().complete("ok")
    expect(turn(page, "complete")).to_be_visible()

    page.reload()

    expect(turn(page, "complete")).to_be_visible()
    expect(page.locator(".turn")).to_have_count(1)
    assert len(posts) == 1
    assert upstream.sent_messages() == ["once"]


@pytest.mark.fault("F62", "F63")
def test_going_back_and_sending_the_same_form_is_the_same_conversation(
    plain: BrowserContext, upstream: Upstream
):
    page = plain.new_page()
    page.goto("/twins/ada")
    key = page.locator(".composer input[name=key]")
    same = key.input_value()
    upstream.answers[FIRST] = lambda call: call.start_stream().complete("ok")
    say(page, "once")
    expect(turn(page, "complete")).to_be_visible()
    there = page.url.partition("?")[0]
    page.goto("/twins/ada")
    key.evaluate("(input, same) => input.value = same", same)  # what a browser keeps of a page
    say(page, "once")

    expect(turn(page, "complete")).to_be_visible()
    assert page.url.partition("?")[0] == there
    assert upstream.sent_messages() == ["once"]


@pytest.mark.fault("F63")
def test_back_and_forward_after_sending_show_what_is_stored(
    context: BrowserContext, upstream: Upstream
):
    page = begun(context, upstream)
    say(page, "Second")
    upstream.next_call().start_stream().complete("And so on")
    expect(turn(page, "complete", 1)).to_be_visible()
    posts = requests_of(page, is_post)

    page.get_by_role("link", name="All conversations").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Conversations")
    page.go_back()
    expect(page.locator(".turn")).to_have_count(2)
    expect(text(page, "complete", 1)).to_have_text("And so on")
    expect(box(page)).to_have_value("")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    page.go_forward()
    expect(page.locator(".turn")).to_have_count(2)
    assert posts == []
    assert upstream.sent_messages() == ["Hello", "Second"]


@pytest.mark.fault("F63")
def test_without_script_one_step_back_leaves_a_conversation_that_refreshed_itself(
    plain: BrowserContext, upstream: Upstream
):
    page = begun(plain, upstream)
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Ada")
    page.go_forward()
    expect(text(page, "complete")).to_have_text("Hello to you")
    assert upstream.sent_messages() == ["Hello"]


@pytest.mark.fault("F70")
def test_no_form_is_answered_by_a_stream(
    context: BrowserContext, upstream: Upstream, surprises: Surprises
):
    page = context.new_page()
    answers = post_answers(page)
    page.goto("/twins/ada")
    say(page, "first")
    call = upstream.next_call().start_stream()
    expect(turn(page, "waiting")).to_be_visible()
    say_too_early(page, "too early")
    expect(page.locator("#composer").get_by_role("alert")).to_contain_text("still replying")
    page.get_by_role("button", name="Stop").click()
    expect(turn(page, "stopped")).to_be_visible()
    assert call.wait_for_disconnect()
    turn(page, "stopped").get_by_role("button", name="Ask again").click()
    upstream.next_call().start_stream().complete("ok")
    expect(turn(page, "complete")).to_be_visible()
    page.get_by_role("button", name="Send").click()
    upstream.next_call().start_stream().complete("ok")
    expect(turn(page, "complete", 1)).to_be_visible()

    assert [answer.status for answer in answers] == [200, 409, 200, 200, 200]
    kinds = {answer.headers.get("content-type") for answer in answers}
    assert kinds == {"text/html; charset=utf-8"}
    assert [text for text in surprises if "409" not in text] == []
    surprises.clear()
