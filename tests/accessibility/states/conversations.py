"""The list of conversations."""

from playwright.sync_api import Page
from sqlalchemy import update

from blueprints.current import EXTENSION
from chat.tables import conversations
from tests.accessibility.stage import Stage, state
from tests.support.history import converse, person_of

TITLE = "How does a bicycle stay upright, asked once more?"


def _begun(stage: Stage, number: int) -> None:
    """Have so many conversations; the reply in the first one is still running."""
    with stage.somebody() as person:
        person.begin(TITLE)
    database = stage.app.extensions[EXTENSION].database
    person_id = person_of(database)
    for _ in range(number - 1):
        converse(database, person_id, 1)
    with database.write() as connection:
        connection.execute(update(conversations).values(title=TITLE))


@state("conversations.index")
def conversations_empty(stage: Stage) -> Page:
    return stage.open("/conversations")


@state("conversations.index")
def conversations_many(stage: Stage) -> Page:
    stage.patch.setattr("chat.conversations.PAGE_SIZE", 8)
    _begun(stage, 10)
    return stage.open("/conversations")


@state("conversations.index")
def conversations_on_their_second_page(stage: Stage) -> Page:
    stage.patch.setattr("chat.conversations.PAGE_SIZE", 8)
    _begun(stage, 10)
    return stage.open("/conversations?page=2")


@state("conversations.index")
def conversations_searched(stage: Stage) -> Page:
    _begun(stage, 2)
    return stage.open("/conversations?q=bicycle")


@state("conversations.index")
def conversations_searched_in_vain(stage: Stage) -> Page:
    _begun(stage, 2)
    return stage.open("/conversations?q=tricycle")


@state("conversations.index")
def conversations_of_one_twin(stage: Stage) -> Page:
    _begun(stage, 2)
    return stage.open("/conversations?twin=ada")
