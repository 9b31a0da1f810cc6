"""The list of conversations, and a conversation of several pages."""

from playwright.sync_api import Page
from sqlalchemy import update

from tests.accessibility.environment import Environment, state
from tests.support.history import get_only_person, insert_conversation
from tests.support.portals import get_portal
from twindow.chat.schema import conversations

TITLE = "How does a bicycle stay upright, asked once more?"


def _create_conversations(env: Environment, count: int) -> None:
    """Create `count` conversations; the reply in the first conversation is running."""
    with env.act_as_person() as person:
        person.start_conversation(TITLE)
    database = get_portal(env.app).database
    person_id = get_only_person(database)
    for _ in range(count - 1):
        insert_conversation(database, person_id, 1)
    with database.write() as connection:
        connection.execute(update(conversations).values(title=TITLE))


@state("conversations.index")
def conversations_many(env: Environment) -> Page:
    env.patch.setattr("twindow.chat.conversations.PAGE_SIZE", 4)
    _create_conversations(env, 10)
    page = env.open("/conversations?page=2")
    page.get_by_role("link", name="Older").wait_for()
    return page


@state("conversations.index")
def conversations_of_one_twin_without_results(env: Environment) -> Page:
    _create_conversations(env, 2)
    return env.open("/conversations?q=tricycle&twin=ada")


def _open_long_conversation(env: Environment) -> Page:
    env.patch.setattr("twindow.web.views.conversation_view.TURNS_PER_PAGE", 8)
    with env.act_as_person() as person:
        person.start_conversation("Question 1")
    database = get_portal(env.app).database
    long = insert_conversation(database, get_only_person(database), turn_count=21)
    return env.open(f"/conversations/{long}")


@state("conversations.show")
def conversation_with_earlier_turns(env: Environment) -> Page:
    page = _open_long_conversation(env)
    page.get_by_role("link", name="Older messages").click()
    page.locator(".turn__content").filter(has_text="Question 00013").wait_for()
    return page


@state("conversations.show", nightly=True)
def conversation_page_of_earlier_turns(env: Environment) -> Page:
    page = _open_long_conversation(env)
    there = page.get_by_role("link", name="Older messages").get_attribute("href")
    assert there
    return env.open(there)
