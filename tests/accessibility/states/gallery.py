"""The gallery of twins."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state

TWINS = "/api/v1/twins"
DOWN = 503, {"error": "down"}


@state("twins.index")
def gallery(stage: Stage) -> Page:
    return stage.open("/")


@state("twins.index")
def gallery_empty(stage: Stage) -> Page:
    stage.upstream.twins = []
    return stage.open("/")


@state("twins.index")
def gallery_searched_in_vain(stage: Stage) -> Page:
    return stage.open("/?q=nobody")


@state("twins.index", twins_cache=0.001)
def gallery_of_kept_twins(stage: Stage) -> Page:
    page = stage.open("/")
    stage.upstream.answers[TWINS] = DOWN
    page.reload()
    page.get_by_text("The list is").wait_for()
    return page


@state("twins.index")
def gallery_without_service(stage: Stage) -> Page:
    stage.upstream.answers[TWINS] = DOWN
    return stage.open("/")
