"""A conversation with many turns: its newest page and earlier ones."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.history import get_only_person, insert_conversation
from web.container import EXTENSION_KEY


def _open_long_conversation(env: Environment, turn_count: int) -> Page:
    env.patch.setattr("web.views.conversation_view.TURNS_PER_PAGE", 8)
    with env.act_as_person() as person:
        person.start_conversation("Question 1")
    database = env.app.extensions[EXTENSION_KEY].database
    return env.open(
        f"/conversations/{insert_conversation(database, get_only_person(database), turn_count)}"
    )


@state("conversations.show")
def conversation_long(env: Environment) -> Page:
    return _open_long_conversation(env, 24)


@state("conversations.show")
def conversation_long_with_earlier_turns(env: Environment) -> Page:
    page = _open_long_conversation(env, 13)
    page.get_by_role("link", name="Older messages").click()
    page.locator(".turn__content").filter(has_text="Question 00005").wait_for()
    return page


@state("conversations.show")
def conversation_long_earlier_page(env: Environment) -> Page:
    page = _open_long_conversation(env, 21)
    there = page.get_by_role("link", name="Older messages").get_attribute("href")
    assert there
    return env.open(there)
