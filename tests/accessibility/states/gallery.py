"""The gallery of twins."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.portals import get_portal
from tests.support.upstream import TWINS

TWINS_PATH = "/api/v1/twins"
SERVICE_DOWN = 503, {"error": "down"}


@state("twins.index")
def gallery(env: Environment) -> Page:
    return env.open("/")


@state("twins.index")
def gallery_empty(env: Environment) -> Page:
    env.upstream.twins = []
    return env.open("/")


@state("twins.index")
def gallery_without_results(env: Environment) -> Page:
    return env.open("/?q=nobody")


@state("twins.index")
def gallery_from_cache(env: Environment) -> Page:
    get_portal(env.app).catalogue.max_age_seconds = 0.001
    page = env.open("/")
    env.upstream.answers[TWINS_PATH] = SERVICE_DOWN
    page.reload()
    page.get_by_text("Last updated").wait_for()
    return page


@state("twins.index")
def gallery_without_service(env: Environment) -> Page:
    env.upstream.answers[TWINS_PATH] = SERVICE_DOWN
    return env.open("/")


def _many_twins() -> list[dict[str, str]]:
    description = "Knows a great deal about one thing, and says so at some length. " * 6
    return [
        {"id": str(each), "name": f"Twin {each}", "description": description[: 10 * each]}
        for each in range(12)
    ]


@state("twins.index")
def gallery_of_many(env: Environment) -> Page:
    env.patch.setattr("blueprints.twins.TWINS_PER_PAGE", 8)
    env.upstream.twins = _many_twins()
    page = env.open("/")
    page.get_by_role("link", name="Show more").click()
    page.get_by_role("link", name="Twin 11").wait_for()
    return page


@state("twins.index")
def gallery_with_recent_twins(env: Environment) -> Page:
    env.upstream.twins = TWINS + _many_twins()
    with env.act_as_person() as person:
        person.start_conversation("Hello")
    page = env.open("/")
    page.get_by_text("Recently used", exact=True).wait_for()
    return page


@state("twins.index")
def gallery_searched(env: Environment) -> Page:
    env.upstream.twins = TWINS + _many_twins()
    page = env.open("/")
    page.get_by_role("searchbox", name="Search twins").fill("explains")
    page.get_by_text("1 twin found").wait_for()
    return page
