"""A conversation of many turns: its newest page, and what is before it."""

from playwright.sync_api import Page

from blueprints.current import EXTENSION
from tests.accessibility.stage import Stage, state
from tests.support.history import converse, person_of


def _long(stage: Stage, turns: int) -> Page:
    stage.patch.setattr("blueprints.talk.TURNS_ON_A_PAGE", 8)
    with stage.somebody() as person:
        person.begin("Question 1")
    database = stage.app.extensions[EXTENSION].database
    return stage.open(f"/conversations/{converse(database, person_of(database), turns)}")


@state("conversations.show")
def conversation_long(stage: Stage) -> Page:
    return _long(stage, 24)


@state("conversations.show")
def conversation_long_with_earlier_turns(stage: Stage) -> Page:
    page = _long(stage, 13)
    page.get_by_role("link", name="Earlier turns").click()
    page.locator(".turn__said").filter(has_text="Question 00005").wait_for()
    return page


@state("conversations.show")
def conversation_long_before(stage: Stage) -> Page:
    page = _long(stage, 21)
    there = page.get_by_role("link", name="Earlier turns").get_attribute("href")
    assert there
    return stage.open(there)
