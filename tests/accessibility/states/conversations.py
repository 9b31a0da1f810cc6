"""The list of conversations."""

from playwright.sync_api import Page
from sqlalchemy import update

from chat.schema import conversations
from tests.accessibility.environment import Environment, state
from tests.support.history import get_only_person, insert_conversation
from web.container import EXTENSION_KEY

TITLE = "How does a bicycle stay upright, asked once more?"


def _create_conversations(env: Environment, count: int) -> None:
    """Create `count` conversations; the reply in the first conversation is running."""
    with env.act_as_person() as person:
        person.start_conversation(TITLE)
    database = env.app.extensions[EXTENSION_KEY].database
    person_id = get_only_person(database)
    for _ in range(count - 1):
        insert_conversation(database, person_id, 1)
    with database.write() as connection:
        connection.execute(update(conversations).values(title=TITLE))


@state("conversations.index")
def conversations_empty(env: Environment) -> Page:
    return env.open("/conversations")


@state("conversations.index")
def conversations_many(env: Environment) -> Page:
    env.patch.setattr("chat.conversations.PAGE_SIZE", 8)
    _create_conversations(env, 10)
    return env.open("/conversations")


@state("conversations.index")
def conversations_on_their_second_page(env: Environment) -> Page:
    env.patch.setattr("chat.conversations.PAGE_SIZE", 8)
    _create_conversations(env, 10)
    return env.open("/conversations?page=2")


@state("conversations.index")
def conversations_searched(env: Environment) -> Page:
    _create_conversations(env, 2)
    return env.open("/conversations?q=bicycle")


@state("conversations.index")
def conversations_without_results(env: Environment) -> Page:
    _create_conversations(env, 2)
    return env.open("/conversations?q=tricycle")


@state("conversations.index")
def conversations_of_one_twin(env: Environment) -> Page:
    _create_conversations(env, 2)
    return env.open("/conversations?twin=ada")
