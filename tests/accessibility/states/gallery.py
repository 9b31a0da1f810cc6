"""The gallery of twins."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.upstream import TWINS

PATH = "/api/v1/twins"
DOWN = 503, {"error": "down"}


@state("twins.index")
def gallery(env: Environment) -> Page:
    return env.open("/")


@state("twins.index")
def gallery_empty(env: Environment) -> Page:
    env.upstream.twins = []
    return env.open("/")


@state("twins.index")
def gallery_searched_in_vain(env: Environment) -> Page:
    return env.open("/?q=nobody")


@state("twins.index", twins_cache=0.001)
def gallery_of_kept_twins(env: Environment) -> Page:
    page = env.open("/")
    env.upstream.answers[PATH] = DOWN
    page.reload()
    page.get_by_text("The list is").wait_for()
    return page


@state("twins.index")
def gallery_without_service(env: Environment) -> Page:
    env.upstream.answers[PATH] = DOWN
    return env.open("/")


def _many() -> list[dict[str, str]]:
    words = "Knows a great deal about one thing, and says so at some length. " * 6
    return [
        {"id": str(each), "name": f"Twin {each}", "description": words[: 10 * each]}
        for each in range(12)
    ]


@state("twins.index")
def gallery_of_many(env: Environment) -> Page:
    env.patch.setattr("blueprints.twins.TWINS_PER_PAGE", 8)
    env.upstream.twins = _many()
    page = env.open("/")
    page.get_by_role("link", name="Show more").click()
    page.get_by_role("link", name="Twin 11").wait_for()
    return page


@state("twins.index")
def gallery_of_those_talked_to_lately(env: Environment) -> Page:
    env.upstream.twins = TWINS + _many()
    with env.person() as person:
        person.begin("Hello")
    page = env.open("/")
    page.get_by_text("Lately", exact=True).wait_for()
    return page


@state("twins.index")
def gallery_searched(env: Environment) -> Page:
    page = env.open("/")
    page.get_by_role("searchbox", name="Search twins").fill("explains")
    page.get_by_text("1 twin found").wait_for()
    return page
