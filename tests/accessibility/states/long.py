"""A conversation of many turns: its newest page, and what is before it."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.history import converse, person_of
from web.container import EXTENSION_KEY


def _long(env: Environment, turns: int) -> Page:
    env.patch.setattr("web.views.conversation_view.TURNS_PER_PAGE", 8)
    with env.person() as person:
        person.begin("Question 1")
    database = env.app.extensions[EXTENSION_KEY].database
    return env.open(f"/conversations/{converse(database, person_of(database), turns)}")


@state("conversations.show")
def conversation_long(env: Environment) -> Page:
    return _long(env, 24)


@state("conversations.show")
def conversation_long_with_earlier_turns(env: Environment) -> Page:
    page = _long(env, 13)
    page.get_by_role("link", name="Earlier turns").click()
    page.locator(".turn__said").filter(has_text="Question 00005").wait_for()
    return page


@state("conversations.show")
def conversation_long_before(env: Environment) -> Page:
    page = _long(env, 21)
    there = page.get_by_role("link", name="Earlier turns").get_attribute("href")
    assert there
    return env.open(there)
