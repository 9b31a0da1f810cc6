"""One twin, and the form that begins a conversation."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state
from tests.accessibility.states.forms import MORE_THAN_40, refuse
from tests.journeys.steps import box, say
from tests.support.person import ended


@state("twins.show")
def twin(stage: Stage) -> Page:
    return stage.open("/twins/ada")


@state("twins.show")
def twin_without_greeting(stage: Stage) -> Page:
    return stage.open("/twins/a%2Fb%20c%3F%23%C3%BC")


@state("twins.show")
def twin_without_script(stage: Stage) -> Page:
    stage.without_script()
    return stage.open("/twins/ada")


@state("twins.show")
def twin_with_few_characters_left(stage: Stage) -> Page:
    page = stage.open("/twins/ada")
    box(page).press_sequentially("x")
    box(page).fill("x" * 31_990)
    page.get_by_text("Characters left").wait_for()
    return page


@state("twins.converse", message_limit=20)
def twin_that_gives_words_back(stage: Stage) -> Page:
    page = stage.open("/twins/ada")
    say(page, "These words are too many to be sent.")
    page.get_by_role("alert").filter(has_text="too long").wait_for()
    return page


@state("twins.show")
def twin_rate_limited(stage: Stage) -> Page:
    with stage.somebody() as person:
        begun = person.begin("How does a bicycle stay upright?")
        stage.upstream.next_call().respond(429, {}, retry_after="1830")
        ended(person, begun)
    page = stage.open("/twins/ada")
    page.get_by_text("Try again in").wait_for()
    return page


@state("twins.show")
def twin_talked_to(stage: Stage) -> Page:
    with stage.somebody() as person:
        person.begin("How does a bicycle stay upright?")
    page = stage.open("/twins/ada")
    page.get_by_role("heading", name="Your conversations").wait_for()
    return page


@state("twins.show", message_limit=40)
def twin_whose_first_words_were_not_sent(stage: Stage) -> Page:
    page = stage.open("/twins/ada")
    refuse(page, MORE_THAN_40)
    page.goto("/twins/ada")
    page.get_by_role("button", name="Discard").wait_for()
    return page


@state("twins.discard", message_limit=40)
def twin_whose_first_words_were_let_go(stage: Stage) -> Page:
    page = twin_whose_first_words_were_not_sent(stage)
    with page.expect_navigation():
        page.get_by_role("button", name="Discard").click()
    return page
