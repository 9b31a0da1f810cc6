"""Replies that ended early: stopped, failed, rate-limited or interrupted."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.journeys.steps import turn


@state("turns.cancel")
def reply_stopped(env: Environment) -> Page:
    page = env.send_first_message()
    env.upstream.next_call().start_stream().delta("It steers")
    turn(page, "streaming").wait_for()
    page.get_by_role("button", name="Stop").click()
    turn(page, "stopped").wait_for()
    return page


@state("conversations.show")
def reply_failed(env: Environment) -> Page:
    page = env.send_first_message()
    env.upstream.next_call().respond(500, {"error": "boom"})
    turn(page, "failed").wait_for()
    return page


@state("conversations.show")
def reply_rate_limited(env: Environment) -> Page:
    page = env.send_first_message()
    env.upstream.next_call().respond(429, {}, retry_after="1830")
    turn(page, "failed").get_by_text("Try again in").wait_for()
    return page


@state("conversations.show")
def reply_interrupted(env: Environment) -> Page:
    page = env.send_first_message()
    call = env.upstream.next_call().start_stream()
    call.delta("It steers into")
    call.close()
    turn(page, "interrupted").wait_for()
    return page


@state("conversations.show")
def reply_of_missing_conversation(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.get_by_role("textbox", name="Message").fill("And then?")
    page.get_by_role("button", name="Send").click()
    env.upstream.next_call().respond(404, {"error": "no such conversation"})
    turn(page, "failed").wait_for()
    return page
