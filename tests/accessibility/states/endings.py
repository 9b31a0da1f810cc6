"""Replies that did not come to their end."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state
from tests.journeys.steps import turn


@state("turns.cancel")
def reply_stopped(stage: Stage) -> Page:
    page = stage.talk()
    stage.upstream.next_call().start_stream().delta("It steers")
    turn(page, "streaming").wait_for()
    page.get_by_role("button", name="Stop").click()
    turn(page, "stopped").wait_for()
    return page


@state("conversations.show")
def reply_failed(stage: Stage) -> Page:
    page = stage.talk()
    stage.upstream.next_call().respond(500, {"error": "boom"})
    turn(page, "failed").wait_for()
    return page


@state("conversations.show")
def reply_rate_limited(stage: Stage) -> Page:
    page = stage.talk()
    stage.upstream.next_call().respond(429, {}, retry_after="1830")
    turn(page, "failed").get_by_text("Try again in").wait_for()
    return page


@state("conversations.show")
def reply_interrupted(stage: Stage) -> Page:
    page = stage.talk()
    call = stage.upstream.next_call().start_stream()
    call.delta("It steers into")
    call.close()
    turn(page, "interrupted").wait_for()
    return page


@state("conversations.show")
def reply_of_a_conversation_that_is_gone(stage: Stage) -> Page:
    page = stage.heard("It steers.")
    page.get_by_role("textbox", name="Message").fill("And then?")
    page.get_by_role("button", name="Send").click()
    stage.upstream.next_call().respond(404, {"error": "no such conversation"})
    turn(page, "failed").wait_for()
    return page
