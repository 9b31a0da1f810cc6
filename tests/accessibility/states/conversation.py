"""A conversation with a running or complete reply, and its composer."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.accessibility.states.reply import CODE
from tests.support.page_steps import (
    TOO_LONG_MESSAGE,
    message_box,
    send_message,
    send_while_replying,
    turn,
)
from tests.support.person import wait_for_reply
from tests.support.portals import get_portal
from tests.support.upstream import TWINS


@state("turns.create")
def conversation_waiting(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    send_message(page, "And then?")
    env.upstream.next_call()
    turn(page, "waiting").wait_for()
    return page


@state("conversations.show")
def conversation_streaming(env: Environment) -> Page:
    page = env.send_first_message()
    call = env.upstream.next_call().start_stream()
    call.send_event(type="progress", stage="writing", percent=40)
    call.delta("It steers into the fall,")
    turn(page, "streaming").wait_for()
    return page


@state("conversations.show")
def conversation_streaming_without_script(env: Environment) -> Page:
    env.block_scripts()
    page = env.send_first_message()
    env.upstream.next_call().start_stream().delta("It steers into the fall,")
    page.get_by_role("link", name="Watch live").click()
    turn(page, "streaming").wait_for()
    return page


@state("conversations.show")
def collapsed_message(env: Environment) -> Page:
    lines = "line\n" * 12
    return env.open_conversation("It steers.", content=f"Why?\n{lines}{CODE}")


@state("turns.create")
def composer_with_rejected_message(env: Environment) -> Page:
    page = env.send_first_message()
    env.upstream.next_call()
    send_while_replying(page, "too early")
    page.locator("#composer").get_by_role("alert").wait_for()
    return page


@state("turns.create", status=413)
def rejected_edit(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    edited = page.get_by_role("button", name="Edit").get_attribute("value")
    page.goto(f"{page.url}?edit={edited}")
    with page.expect_navigation():
        env.submit_without_script(TOO_LONG_MESSAGE)
    page.locator("#form-error").wait_for()
    return page


@state("conversations.show")
def earlier_version(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.get_by_role("button", name="Try again").click()
    env.upstream.next_call().start_stream().complete("It steers into the fall.")
    page.get_by_text("2 of 2", exact=True).wait_for()
    page.get_by_role("link", name="Previous version").click()
    page.get_by_text("1 of 2", exact=True).wait_for()
    return page


@state("conversations.show")
def newest_message_in_a_text_box(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.get_by_role("button", name="Edit", exact=True).click()
    page.get_by_role("textbox", name="Edit message").wait_for()
    return page


@state("twins.index")
def message_copied_for_another_twin(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.get_by_role("link", name="Ask another twin").click()
    page.get_by_role("region", name="Answers to “").wait_for()
    return page


@state("conversations.show")
def composer_with_low_quota(env: Environment) -> Page:
    limits = {"x_ratelimit_remaining": "3", "x_ratelimit_limit": "500", "x_ratelimit_reset": "900"}
    with env.act_as_person() as person:
        begun = person.start_conversation("How does a bicycle stay upright?")
        env.upstream.next_call().start_stream(**limits).complete("It steers.")
        path = wait_for_reply(person, begun).path
    page = env.open(path)
    page.get_by_text("everyone can send").wait_for()
    return page


@state("conversations.show")
def composer_of_missing_twin(env: Environment) -> Page:
    get_portal(env.app).catalogue.max_age_seconds = 0.001
    page = env.open_conversation("It steers.")
    there = page.url
    env.upstream.twins = TWINS[1:]
    page.goto("/")
    page.goto(there)
    page.get_by_text("no longer available").wait_for()
    return page


@state("conversations.show")
def conversation_offline(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    env.page.context.set_offline(True)
    message_box(page).fill("from a tunnel")
    message_box(page).press("Enter")
    page.locator("#notices").get_by_text("You're offline").wait_for()
    return page
