"""Pages that say what went wrong."""

import sqlite3

from flask import abort
from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.accessibility.states.forms import say_plainly
from tests.journeys.steps import say
from tests.support.portals import portal_of
from web.http.error_pages import ERROR_PAGES

TWINS = "/api/v1/twins"
# These have a way of their own below.
REACHED = {404, 413, 500}


def _plain(status: int) -> None:
    """Add the state of a page that says nothing but what goes with its status."""

    def reach(env: Environment) -> Page:
        env.patch.setattr("blueprints.help.render_template", lambda *_, **__: abort(status))
        return env.open("/help")

    reach.__name__ = f"error_{status}_plain"
    state("site.show_help")(reach)


for status in sorted(ERROR_PAGES.keys() - REACHED):
    _plain(status)


OLD = "document.querySelectorAll('[name=csrf_token]').forEach(input => input.value = 'old')"


@state("twins.converse")
def error_400_with_words_kept(env: Environment) -> Page:
    page = env.open("/twins/ada")
    page.evaluate(OLD)
    say_plainly(page, "Words worth keeping")
    page.get_by_text("no longer valid").wait_for()
    return page


@state("twins.converse")
def error_400_beside_the_page(env: Environment) -> Page:
    page = env.open("/twins/ada")
    page.evaluate(OLD)
    say(page, "Words worth keeping")
    page.locator("#notices").get_by_text("no longer valid").wait_for()
    return page


@state("twins.show")
def error_404(env: Environment) -> Page:
    return env.open("/twins/nobody")


@state("twins.converse")
def error_413(env: Environment) -> Page:
    page = env.open("/twins/ada")
    env.app.config["MAX_CONTENT_LENGTH"] = 1000
    say_plainly(page, "x" * 1000)
    page.get_by_role("heading", name="Too large").wait_for()
    return page


@state("twins.show")
def error_429(env: Environment) -> Page:
    env.upstream.answers[TWINS] = lambda call: call.respond(429, {}, retry_after="1830")
    page = env.open("/twins/ada")
    page.get_by_text("Try again in").wait_for()
    return page


@state("twins.show")
def error_503_of_the_service(env: Environment) -> Page:
    env.upstream.answers[TWINS] = 503, {"error": "down"}
    return env.open("/twins/ada")


@state("conversations.index")
def error_500(env: Environment) -> Page:
    page = env.open("/")
    env.patch.setattr("blueprints.conversations.render_template", lambda *_, **__: 1 / 0)
    page.goto("/conversations")
    page.get_by_role("heading", name="This did not work").wait_for()
    return page


@state("twins.converse")
def error_503_with_words_kept(env: Environment) -> Page:
    page = env.open("/twins/ada")
    path = env.app.extensions["twindow"].settings.data_dir / "portal.db"
    portal_of(env.app).database.lock_timeout = 0.0
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    say_plainly(page, "Words worth keeping")
    page.get_by_text("Nothing was sent").wait_for()
    other.close()
    return page
