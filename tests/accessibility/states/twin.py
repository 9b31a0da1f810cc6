"""The page of one twin, with the form that starts a conversation."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.journeys.steps import TOO_LONG_MESSAGE, message_box, send_message
from tests.support.person import wait_for_reply


@state("twins.show")
def twin(env: Environment) -> Page:
    return env.open("/twins/ada")


@state("twins.show")
def twin_without_greeting(env: Environment) -> Page:
    return env.open("/twins/a%2Fb%20c%3F%23%C3%BC")


@state("twins.show")
def twin_without_script(env: Environment) -> Page:
    env.block_scripts()
    return env.open("/twins/ada")


@state("twins.show")
def twin_with_few_characters_left(env: Environment) -> Page:
    page = env.open("/twins/ada")
    message_box(page).press_sequentially("x")
    message_box(page).fill("x" * 31_990)
    page.get_by_text("Characters left").wait_for()
    return page


@state("twins.start_conversation")
def twin_with_rejected_message(env: Environment) -> Page:
    page = env.open("/twins/ada")
    send_message(page, TOO_LONG_MESSAGE)
    page.get_by_role("alert").filter(has_text="too long").wait_for()
    return page


@state("twins.show")
def twin_rate_limited(env: Environment) -> Page:
    with env.act_as_person() as person:
        begun = person.start_conversation("How does a bicycle stay upright?")
        env.upstream.next_call().respond(429, {}, retry_after="1830")
        wait_for_reply(person, begun)
    page = env.open("/twins/ada")
    page.get_by_text("Try again in").wait_for()
    return page


@state("twins.show")
def twin_with_conversations(env: Environment) -> Page:
    with env.act_as_person() as person:
        person.start_conversation("How does a bicycle stay upright?")
    page = env.open("/twins/ada")
    page.get_by_role("heading", name="Your conversations").wait_for()
    return page
