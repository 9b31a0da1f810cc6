"""What is done with a conversation: its menu, and the lists that follow from it."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state
from tests.journeys.steps import turn
from tests.support.person import say_and_hear


def _menu(page: Page) -> Page:
    page.locator("summary[title^='Options of']").first.click()
    page.get_by_role("button", name="Rename").wait_for()
    return page


def _listed(stage: Stage, press: str | None = None) -> Page:
    """Open the list of two conversations, after a button was pressed in the menu of the first."""
    with stage.somebody() as person:
        person.begin("How does a bicycle stay upright?")
        person.begin("Why is the sky blue?")
        if press:
            person.press(person.get("/conversations"), press)
    return stage.open("/conversations")


def _done(stage: Stage, button: str) -> Page:
    page = _menu(_listed(stage))
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_load_state()
    return page


@state("conversations.index", api_fair_share=1)
def conversations_with_a_menu_open(stage: Stage) -> Page:
    return _menu(_listed(stage))


@state("conversations.show")
def conversation_with_its_menu_open(stage: Stage) -> Page:
    return _menu(stage.heard("It steers."))


@state("shelf.rename", api_fair_share=1)
def conversation_renamed(stage: Stage) -> Page:
    page = _menu(_listed(stage))
    page.get_by_role("textbox", name="Title").fill("Two wheels " * 18)
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("link", name="Two wheels").wait_for()
    return page


@state("shelf.pin", api_fair_share=1)
def conversations_with_one_pinned(stage: Stage) -> Page:
    page = _done(stage, "Pin")
    page.get_by_role("heading", name="Pinned").wait_for()
    return _menu(page)


@state("shelf.archive", api_fair_share=1)
def conversations_with_one_archived(stage: Stage) -> Page:
    page = _done(stage, "Archive")
    page.get_by_text("was archived").wait_for()
    return page


@state("conversations.index")
def conversations_archived_none(stage: Stage) -> Page:
    return stage.open("/conversations?view=archived")


@state("conversations.index", api_fair_share=1)
def conversations_archived(stage: Stage) -> Page:
    page = _listed(stage, press="Archive")
    page.get_by_role("link", name="Archived conversations").click()
    page.get_by_role("heading", name="Archived conversations").wait_for()
    return _menu(page)


@state("conversations.show")
def conversation_archived(stage: Stage) -> Page:
    with stage.somebody() as person:
        path = say_and_hear(person, stage.upstream, "Hello", "It steers.").path
        person.press(person.get(path), "Archive")
    return stage.open(path)


@state("deletions.create", api_fair_share=1)
def conversation_deleted(stage: Stage) -> Page:
    page = _done(stage, "Delete")
    page.get_by_text("was deleted").wait_for()
    return page


@state("deletions.undo", api_fair_share=1)
def conversation_brought_back(stage: Stage) -> Page:
    page = _done(stage, "Delete")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("link", name="Why is the sky blue?").wait_for()
    return page


@state("conversations.index")
def conversations_with_hits(stage: Stage) -> Page:
    page = stage.heard("It steers into the fall, said the bicycle. " * 20)
    page.goto("/conversations?q=bicycle")
    page.locator(".hits mark").first.wait_for()
    return page


@state("conversations.index")
def conversations_with_hits_while_typing(stage: Stage) -> Page:
    page = stage.heard("It steers into the fall, said the bicycle.")
    page.goto("/conversations")
    page.get_by_role("searchbox", name="Search conversations").fill("bicy")
    page.locator(".hits mark").first.wait_for()
    return page


@state("conversations.show")
def conversation_from_a_hit(stage: Stage) -> Page:
    page = stage.heard("It steers into the fall, said the bicycle.")
    page.goto("/conversations?q=bicycle")
    page.locator(".hits a").first.click()
    turn(page, "complete").wait_for()
    return page
