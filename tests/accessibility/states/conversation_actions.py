"""Actions on conversations: the menu, the lists that result, and search hits."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.journeys.steps import turn
from tests.support.person import complete_first_turn


def _open_menu(page: Page) -> Page:
    page.locator("summary[title^='More options for']").first.click()
    page.get_by_role("button", name="Rename").wait_for()
    return page


def _open_list(env: Environment, button: str | None = None) -> Page:
    """Open a list of two conversations; first press `button` in the menu of the first one."""
    with env.act_as_person() as person:
        person.start_conversation("How does a bicycle stay upright?")
        person.start_conversation("Why is the sky blue?")
        if button:
            person.press(person.get("/conversations"), button)
    return env.open("/conversations")


def _press_in_menu(env: Environment, button: str) -> Page:
    page = _open_menu(_open_list(env))
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_load_state()
    return page


@state("conversations.index")
def conversations_with_a_menu_open(env: Environment) -> Page:
    return _open_menu(_open_list(env))


@state("conversations.show")
def conversation_with_its_menu_open(env: Environment) -> Page:
    return _open_menu(env.open_conversation("It steers."))


@state("conversation_actions.rename")
def conversation_renamed(env: Environment) -> Page:
    page = _open_menu(_open_list(env))
    page.get_by_role("textbox", name="Title").fill("Two wheels " * 18)
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("main").get_by_role("link", name="Two wheels").wait_for()
    return page


@state("conversation_actions.pin")
def conversations_with_one_pinned(env: Environment) -> Page:
    page = _press_in_menu(env, "Pin")
    page.get_by_role("main").get_by_role("heading", name="Pinned").wait_for()
    return _open_menu(page)


@state("conversation_actions.archive")
def conversations_with_one_archived(env: Environment) -> Page:
    page = _press_in_menu(env, "Archive")
    page.get_by_text("” archived").wait_for()
    return page


@state("conversations.index")
def conversations_archived_none(env: Environment) -> Page:
    return env.open("/conversations?view=archived")


@state("conversations.index")
def conversations_archived(env: Environment) -> Page:
    page = _open_list(env, button="Archive")
    page.get_by_role("link", name="Archived conversations").click()
    page.get_by_role("heading", name="Archived conversations").wait_for()
    return _open_menu(page)


@state("conversations.show")
def conversation_archived(env: Environment) -> Page:
    with env.act_as_person() as person:
        path = complete_first_turn(person, env.upstream, "Hello", "It steers.").path
        person.press(person.get(path), "Archive")
    return env.open(path)


@state("conversation_actions.delete")
def conversation_deleted(env: Environment) -> Page:
    page = _press_in_menu(env, "Delete")
    page.get_by_text("” deleted").wait_for()
    return page


@state("conversation_actions.restore")
def conversation_restored(env: Environment) -> Page:
    page = _press_in_menu(env, "Delete")
    page.get_by_role("button", name="Undo").click()
    page.get_by_role("main").get_by_role("link", name="Why is the sky blue?").wait_for()
    return page


@state("conversations.index")
def conversations_with_hits(env: Environment) -> Page:
    page = env.open_conversation("It steers into the fall, said the bicycle. " * 20)
    page.goto("/conversations?q=bicycle")
    page.locator(".hits mark").first.wait_for()
    return page


@state("conversations.index")
def conversations_with_hits_while_typing(env: Environment) -> Page:
    page = env.open_conversation("It steers into the fall, said the bicycle.")
    page.goto("/conversations")
    page.get_by_role("searchbox", name="Search conversations").fill("bicy")
    page.locator(".hits mark").first.wait_for()
    return page


@state("conversations.show")
def conversation_from_a_hit(env: Environment) -> Page:
    page = env.open_conversation("It steers into the fall, said the bicycle.")
    page.goto("/conversations?q=bicycle")
    page.locator(".hits a").first.click()
    turn(page, "complete").wait_for()
    return page


@state("conversation_actions.show_menu")
def sidebar_with_a_menu_open(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.locator("#recent li").hover()
    page.locator("#recent li button").click()
    page.locator("#recent .menu[open]").wait_for()
    return page
