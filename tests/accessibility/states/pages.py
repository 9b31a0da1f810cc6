"""Preferences, help, and panels that a button opens."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state


@state("preferences.update")
def preferences_saved(env: Environment) -> Page:
    page = env.open("/preferences")
    page.get_by_role("radio", name="Large").check()
    page.get_by_role("status").get_by_text("Saved.").wait_for(state="attached")
    page.get_by_label("Language").select_option("Deutsch")
    page.get_by_role("button", name="Save").wait_for()
    return page


@state("site.show_help", nightly=True)
def help_page(env: Environment) -> Page:
    return env.open("/help")


@state("site.show_help")
def help_over_a_page(env: Environment) -> Page:
    page = env.open("/twins/ada")
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    page.get_by_role("dialog", name="Keyboard shortcuts").wait_for()
    return page


@state(
    "conversations.show",
    banner="For internal use only. Maintenance on Friday from 18:00.",
    footer_links="Privacy=https://example.org/privacy, Imprint=/help",
)
def banner_and_more_pages(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.get_by_role("button", name="More pages").click()
    page.locator("#more").wait_for()
    return page


@state("twins.index", banner="For internal use only.", nightly=True)
def banner_above_the_first_page(env: Environment) -> Page:
    return env.open("/")


@state("search.index")
def search_page(env: Environment) -> Page:
    env.open_conversation("It steers.")
    env.page.goto("/search?q=sky")
    return env.page


@state("search.index")
def search_dialog(env: Environment) -> Page:
    page = env.open_conversation("It steers.")
    page.keyboard.press("Control+k")
    page.get_by_role("dialog", name="Search").wait_for()
    return page
