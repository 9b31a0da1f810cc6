"""The gallery of twins, and the page of one twin."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.page_steps import message_box
from tests.support.portals import get_portal
from tests.support.upstream import TWINS

TWINS_PATH = "/api/v1/twins"
SERVICE_DOWN = 503, {"error": "down"}


def _many_twins() -> list[dict[str, str]]:
    description = "Knows a great deal about one thing, and says so at some length. " * 6
    return [
        {"id": str(each), "name": f"Twin {each}", "description": description[: 10 * each]}
        for each in range(12)
    ]


@state("twins.index")
def gallery_of_many(env: Environment) -> Page:
    env.patch.setattr("blueprints.twins.TWINS_PER_PAGE", 6)
    env.upstream.twins = TWINS + _many_twins()
    with env.act_as_person() as person:
        person.start_conversation("Hello")
    page = env.open("/")
    page.get_by_text("Recently used", exact=True).wait_for()
    page.get_by_role("link", name="Show more").click()
    page.get_by_role("link", name="Twin 7").wait_for()
    return page


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


@state("twins.show")
def twin_without_script(env: Environment) -> Page:
    env.block_scripts()
    return env.open("/twins/ada")


@state("twins.show")
def twin_with_few_characters_left(env: Environment) -> Page:
    page = env.open("/twins/ada")
    message_box(page).press_sequentially("x")
    message_box(page).fill("x" * 31_990)
    page.get_by_text("Characters left").wait_for()
    return page


@state("twins.show")
def twin_with_conversations(env: Environment) -> Page:
    with env.act_as_person() as person:
        person.start_conversation("How does a bicycle stay upright?")
    page = env.open("/twins/ada")
    page.get_by_role("heading", name="Your conversations").wait_for()
    return page
