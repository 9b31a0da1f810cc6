"""Pages in other languages, such as Arabic (right to left) and Japanese."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.journeys.steps import turn

MIXED_DIRECTION_REPLY = (
    "لأن الضوء الأزرق **يتشتت**.\n\nBecause of Rayleigh scattering: `sky()`.\n\n- أول\n- second"
)


def _send_message(env: Environment, language: str, content: str) -> Page:
    page = _open_in_language(env, language, "/twins/ada")
    page.locator("#message").fill(content)
    page.locator(".composer__send").click()
    turn(page, "waiting").wait_for()
    return page


def _open_in_language(env: Environment, language: str, path: str) -> Page:
    env.page.context.set_extra_http_headers({"Accept-Language": language})
    return env.open(path)


@state("twins.index")
def gallery_arabic(env: Environment) -> Page:
    return _open_in_language(env, "ar", "/")


@state("preferences.show")
def preferences_arabic(env: Environment) -> Page:
    return _open_in_language(env, "ar", "/preferences")


@state("conversations.show")
def conversation_arabic(env: Environment) -> Page:
    page = _send_message(env, "ar", "لماذا السماء زرقاء؟")
    env.upstream.next_call().start_stream().complete(MIXED_DIRECTION_REPLY)
    turn(page, "complete").wait_for()
    return page


@state("conversations.show")
def conversation_arabic_rate_limited(env: Environment) -> Page:
    page = _send_message(env, "ar", "Why is the sky blue?")
    env.upstream.next_call().respond(429, {}, retry_after="120")
    turn(page, "failed").wait_for()
    return page


@state("conversations.index")
def conversations_arabic(env: Environment) -> Page:
    env.open_conversation("لأن الضوء يتشتت.", content="لماذا السماء زرقاء؟")
    return _open_in_language(env, "ar", "/conversations")


@state("")
def not_found_german(env: Environment) -> Page:
    return _open_in_language(env, "de", "/nowhere")


@state("conversations.show")
def conversation_japanese_failed(env: Environment) -> Page:
    page = _send_message(env, "ja", "空はなぜ青いのですか。")
    env.upstream.next_call().start_stream().reset()
    turn(page, "interrupted").wait_for()
    return page
