"""Actions on conversations: the menu, the lists that result, and search hits."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.page_steps import rename, turn
from tests.support.person import complete_first_turn


def _open_menu(page: Page) -> Page:
    page.locator("main .menu__button").first.click()
    page.get_by_role("link", name="Rename").wait_for()
    return page


def _open_menu_in_list(env: Environment) -> Page:
    """Open a list of two conversations, and the menu of the first one."""
    with env.act_as_person() as person:
        person.start_conversation("How does a bicycle stay upright?")
        person.start_conversation("Why is the sky blue?")
    return _open_menu(env.open("/conversations"))


def _press_in_menu(env: Environment, button: str) -> Page:
    page = _open_menu_in_list(env)
    page.get_by_role("button", name=button, exact=True).click()
    page.wait_for_load_state()
    return page


@state("conversations.show")
def conversation_with_its_menu_open(env: Environment) -> Page:
    return _open_menu(env.open_conversation("It steers."))


@state("conversation_actions.rename")
def conversation_renamed(env: Environment) -> Page:
    page = _open_menu_in_list(env)
    rename(page, "Two wheels " * 18)
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


@state("conversations.show", nightly=True)
def conversation_archived(env: Environment) -> Page:
    with env.act_as_person() as person:
        path = complete_first_turn(person, env.upstream, "Hello", "It steers.").path
        person.press(person.get(path), "Archive")
    return env.open(path)


@state("conversations.index")
def conversations_with_hits(env: Environment) -> Page:
    page = env.open_conversation("It steers into the fall, said the bicycle. " * 20)
    page.goto("/conversations?q=bicycle")
    page.locator(".hits mark").first.wait_for()
    return page


@state("conversation_actions.show_menu")
def sidebar_with_a_menu_open(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.locator("#recent li").hover()
    page.locator("#recent li button").click()
    page.locator("#row-menu:popover-open a").first.wait_for()
    return page


@state("conversations.index", nightly=True)
def conversations_archived(env: Environment) -> Page:
    page = _press_in_menu(env, "Archive")
    page.get_by_role("link", name="Archived conversations").click()
    page.get_by_role("heading", name="Archived conversations").wait_for()
    return _open_menu(page)


@state("conversations.show", nightly=True)
def conversation_from_a_hit(env: Environment) -> Page:
    page = env.open_conversation("It steers into the fall, said the bicycle.")
    page.goto("/conversations?q=bicycle")
    page.locator(".hits a").first.click()
    turn(page, "complete").wait_for()
    return page


@state("conversation_actions.edit_title")
def conversation_with_its_title_in_a_field(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.get_by_role("heading", level=1).click()
    page.get_by_role("textbox", name="Title").wait_for()
    return page


def _select_two(env: Environment) -> Page:
    with env.act_as_person() as person:
        for question in ("How does a bicycle stay upright?", "Why is the sky blue?", "Why not?"):
            complete_first_turn(person, env.upstream, question, "**It** steers. " * 40)
    page = env.open("/conversations")
    for place in (0, 1):
        page.get_by_role("checkbox").nth(place).check()
    return page


@state("conversations.index")
def conversations_with_two_selected(env: Environment) -> Page:
    page = _select_two(env)
    page.get_by_role("form", name="Selected conversations").wait_for()
    return page


@state("conversation_actions.archive")
def conversations_with_two_archived(env: Environment) -> Page:
    page = _select_two(env)
    page.get_by_role("button", name="Archive", exact=True).click()
    page.get_by_text("2 conversations archived").wait_for()
    page.get_by_role("checkbox").check()
    return page
