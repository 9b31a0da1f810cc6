"""The list of conversations."""

from playwright.sync_api import Page
from sqlalchemy import update

from chat.schema import conversations
from tests.accessibility.environment import Environment, state
from tests.support.history import converse, person_of
from web.container import EXTENSION_KEY

TITLE = "How does a bicycle stay upright, asked once more?"


def _begun(env: Environment, number: int) -> None:
    """Have so many conversations; the reply in the first one is still running."""
    with env.person() as person:
        person.begin(TITLE)
    database = env.app.extensions[EXTENSION_KEY].database
    person_id = person_of(database)
    for _ in range(number - 1):
        converse(database, person_id, 1)
    with database.write() as connection:
        connection.execute(update(conversations).values(title=TITLE))


@state("conversations.index")
def conversations_empty(env: Environment) -> Page:
    return env.open("/conversations")


@state("conversations.index")
def conversations_many(env: Environment) -> Page:
    env.patch.setattr("chat.conversations.PAGE_SIZE", 8)
    _begun(env, 10)
    return env.open("/conversations")


@state("conversations.index")
def conversations_on_their_second_page(env: Environment) -> Page:
    env.patch.setattr("chat.conversations.PAGE_SIZE", 8)
    _begun(env, 10)
    return env.open("/conversations?page=2")


@state("conversations.index")
def conversations_searched(env: Environment) -> Page:
    _begun(env, 2)
    return env.open("/conversations?q=bicycle")


@state("conversations.index")
def conversations_searched_in_vain(env: Environment) -> Page:
    _begun(env, 2)
    return env.open("/conversations?q=tricycle")


@state("conversations.index")
def conversations_of_one_twin(env: Environment) -> Page:
    _begun(env, 2)
    return env.open("/conversations?twin=ada")
