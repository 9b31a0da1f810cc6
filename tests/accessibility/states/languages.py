"""Pages in other languages: from right to left, and without an alphabet."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.journeys.steps import turn

MIXED = "لأن الضوء الأزرق **يتشتت**.\n\nBecause of Rayleigh scattering: `sky()`.\n\n- أول\n- second"


def _said(env: Environment, language: str, words: str) -> Page:
    page = _open(env, language, "/twins/ada")
    page.locator("#message").fill(words)
    page.locator(".composer .button").click()
    turn(page, "waiting").wait_for()
    return page


def _open(env: Environment, language: str, path: str) -> Page:
    env.page.context.set_extra_http_headers({"Accept-Language": language})
    return env.open(path)


@state("twins.index")
def gallery_arabic(env: Environment) -> Page:
    return _open(env, "ar", "/")


@state("preferences.show")
def preferences_arabic(env: Environment) -> Page:
    return _open(env, "ar", "/preferences")


@state("conversations.show")
def conversation_arabic(env: Environment) -> Page:
    page = _said(env, "ar", "لماذا السماء زرقاء؟")
    env.upstream.next_call().start_stream().complete(MIXED)
    turn(page, "complete").wait_for()
    return page


@state("conversations.show")
def conversation_arabic_refused(env: Environment) -> Page:
    page = _said(env, "ar", "Why is the sky blue?")
    env.upstream.next_call().respond(429, {}, retry_after="120")
    turn(page, "failed").wait_for()
    return page


@state("conversations.index")
def conversations_arabic(env: Environment) -> Page:
    env.conversation("لأن الضوء يتشتت.", words="لماذا السماء زرقاء؟")
    return _open(env, "ar", "/conversations")


@state("")
def not_found_german(env: Environment) -> Page:
    return _open(env, "de", "/nowhere")


@state("conversations.show")
def conversation_japanese_failed(env: Environment) -> Page:
    page = _said(env, "ja", "空はなぜ青いのですか。")
    env.upstream.next_call().start_stream().reset()
    turn(page, "interrupted").wait_for()
    return page
