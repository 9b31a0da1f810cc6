"""Error pages."""

import sqlite3

from flask import abort
from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.accessibility.states.forms import submit_without_script
from tests.journeys.steps import send_message
from tests.support.portals import get_portal
from web.http.error_pages import ERROR_PAGES

TWINS_PATH = "/api/v1/twins"
# These statuses have their own states below.
STATUSES_WITH_OWN_STATE = {404, 413, 500}


def _register_plain_error(status: int) -> None:
    """Register the state of an error page with the standard text of its status."""

    def reach(env: Environment) -> Page:
        env.patch.setattr("blueprints.site.render_template", lambda *_, **__: abort(status))
        return env.open("/help")

    reach.__name__ = f"error_{status}_plain"
    state("site.show_help")(reach)


for status in sorted(ERROR_PAGES.keys() - STATUSES_WITH_OWN_STATE):
    _register_plain_error(status)


@state("twins.start_conversation")
def error_400_with_saved_message(env: Environment) -> Page:
    page = env.open("/twins/ada")
    page.context.clear_cookies()
    submit_without_script(page, "Words worth keeping")
    page.get_by_text("Your browser sent no cookies").wait_for()
    return page


@state("twins.start_conversation")
def error_400_as_notice(env: Environment) -> Page:
    page = env.open("/twins/ada")
    page.context.clear_cookies()
    send_message(page, "Words worth keeping")
    page.locator("#notices").get_by_text("Your browser sent no cookies").wait_for()
    return page


@state("twins.show")
def error_404(env: Environment) -> Page:
    return env.open("/twins/nobody")


@state("twins.start_conversation")
def error_413(env: Environment) -> Page:
    page = env.open("/twins/ada")
    env.app.config["MAX_CONTENT_LENGTH"] = 1000
    submit_without_script(page, "x" * 1000)
    page.get_by_role("heading", name="Too large").wait_for()
    return page


@state("twins.show")
def error_429(env: Environment) -> Page:
    env.upstream.answers[TWINS_PATH] = lambda call: call.respond(429, {}, retry_after="1830")
    page = env.open("/twins/ada")
    page.get_by_text("Try again in").wait_for()
    return page


@state("twins.show")
def error_503_from_service(env: Environment) -> Page:
    env.upstream.answers[TWINS_PATH] = 503, {"error": "down"}
    return env.open("/twins/ada")


@state("conversations.index")
def error_500(env: Environment) -> Page:
    page = env.open("/")
    env.patch.setattr("blueprints.conversations.render_template", lambda *_, **__: 1 / 0)
    page.goto("/conversations")
    page.get_by_role("heading", name="Something went wrong").wait_for()
    return page


@state("twins.start_conversation")
def error_503_with_saved_message(env: Environment) -> Page:
    page = env.open("/twins/ada")
    path = env.app.extensions["twindow"].settings.data_dir / "portal.db"
    get_portal(env.app).database.lock_timeout = 0.0
    locking_connection = sqlite3.connect(path, isolation_level=None)
    locking_connection.execute("BEGIN IMMEDIATE")
    submit_without_script(page, "Words worth keeping")
    page.get_by_text("Nothing was sent").wait_for()
    locking_connection.close()
    return page
