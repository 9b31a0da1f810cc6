"""Error pages."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.page_steps import send_message

TWINS_PATH = "/api/v1/twins"


@state("twins.start_conversation", status=400)
def error_400_with_saved_message(env: Environment) -> Page:
    page = env.open("/twins/ada")
    page.context.clear_cookies()
    env.submit_without_script("Words worth keeping")
    page.get_by_text("your browser doesn't accept cookies").wait_for()
    return page


@state("twins.start_conversation")
def error_400_as_notice(env: Environment) -> Page:
    page = env.open("/twins/ada")
    page.context.clear_cookies()
    send_message(page, "Words worth keeping")
    page.locator("#notices").get_by_text("your browser doesn't accept cookies").wait_for()
    return page


@state("twins.show", status=429)
def error_429(env: Environment) -> Page:
    env.upstream.answers[TWINS_PATH] = lambda call: call.respond(429, {}, retry_after="1830")
    page = env.open("/twins/ada")
    page.get_by_text("Try again in").wait_for()
    return page


@state("twins.show", status=404)
def error_404_in_german(env: Environment) -> Page:
    return env.open_in_language("de", "/twins/nobody")


@state("conversations.index", status=500)
def error_500(env: Environment) -> Page:
    page = env.open("/")
    env.patch.setattr("blueprints.conversations.render_template", lambda *_, **__: 1 / 0)
    page.goto("/conversations")
    page.get_by_role("heading", name="Something went wrong").wait_for()
    return page
