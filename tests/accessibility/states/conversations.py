"""The list of conversations."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state


def _begun(stage: Stage, number: int, twin: str = "ada") -> None:
    with stage.somebody() as person:
        for each in range(number):
            person.begin(f"How does a bicycle stay upright, asked for the {each + 1}th time?", twin)


@state("conversations.index")
def conversations_empty(stage: Stage) -> Page:
    return stage.open("/conversations")


@state("conversations.index", api_fair_share=1)
def conversations_many(stage: Stage) -> Page:
    _begun(stage, 25)
    return stage.open("/conversations")


@state("conversations.index", api_fair_share=1)
def conversations_on_their_second_page(stage: Stage) -> Page:
    _begun(stage, 25)
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
