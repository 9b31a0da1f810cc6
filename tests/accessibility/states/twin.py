"""One twin, and the form that begins a conversation."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.accessibility.states.forms import MORE_THAN_40, refuse
from tests.journeys.steps import box, say
from tests.support.person import ended


@state("twins.show")
def twin(env: Environment) -> Page:
    return env.open("/twins/ada")


@state("twins.show")
def twin_without_greeting(env: Environment) -> Page:
    return env.open("/twins/a%2Fb%20c%3F%23%C3%BC")


@state("twins.show")
def twin_without_script(env: Environment) -> Page:
    env.block_script()
    return env.open("/twins/ada")


@state("twins.show")
def twin_with_few_characters_left(env: Environment) -> Page:
    page = env.open("/twins/ada")
    box(page).press_sequentially("x")
    box(page).fill("x" * 31_990)
    page.get_by_text("Characters left").wait_for()
    return page


@state("twins.converse", message_limit=20)
def twin_that_gives_words_back(env: Environment) -> Page:
    page = env.open("/twins/ada")
    say(page, "These words are too many to be sent.")
    page.get_by_role("alert").filter(has_text="too long").wait_for()
    return page


@state("twins.show")
def twin_rate_limited(env: Environment) -> Page:
    with env.person() as person:
        begun = person.begin("How does a bicycle stay upright?")
        env.upstream.next_call().respond(429, {}, retry_after="1830")
        ended(person, begun)
    page = env.open("/twins/ada")
    page.get_by_text("Try again in").wait_for()
    return page


@state("twins.show")
def twin_talked_to(env: Environment) -> Page:
    with env.person() as person:
        person.begin("How does a bicycle stay upright?")
    page = env.open("/twins/ada")
    page.get_by_role("heading", name="Your conversations").wait_for()
    return page


@state("twins.show", message_limit=40)
def twin_whose_first_words_were_not_sent(env: Environment) -> Page:
    page = env.open("/twins/ada")
    refuse(page, MORE_THAN_40)
    page.goto("/twins/ada")
    page.get_by_role("button", name="Discard").wait_for()
    return page


@state("twins.discard", message_limit=40)
def twin_whose_first_words_were_let_go(env: Environment) -> Page:
    page = twin_whose_first_words_were_not_sent(env)
    with page.expect_navigation():
        page.get_by_role("button", name="Discard").click()
    return page
