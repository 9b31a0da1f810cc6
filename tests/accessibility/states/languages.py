"""Pages in Arabic, from right to left."""

from playwright.sync_api import Page

from tests.accessibility.environment import Environment, state
from tests.support.page_steps import turn

MIXED_DIRECTION_REPLY = (
    "لأن الضوء الأزرق **يتشتت**.\n\nBecause of Rayleigh scattering: `sky()`.\n\n- أول\n- second"
)


def _send_message(env: Environment, content: str) -> Page:
    page = env.open_in_language("ar", "/twins/ada")
    page.locator("#message").fill(content)
    page.locator(".composer__send").click()
    turn(page, "waiting").wait_for()
    return page


@state("preferences.show", nightly=True)
def preferences_arabic(env: Environment) -> Page:
    return env.open_in_language("ar", "/preferences")


@state("conversations.show")
def conversation_arabic(env: Environment) -> Page:
    page = _send_message(env, "لماذا السماء زرقاء؟")
    env.upstream.next_call().start_stream().complete(MIXED_DIRECTION_REPLY)
    turn(page, "complete").wait_for()
    return page


@state("conversations.show", nightly=True)
def conversation_arabic_rate_limited(env: Environment) -> Page:
    page = _send_message(env, "Why is the sky blue?")
    env.upstream.next_call().respond(429, {}, retry_after="120")
    turn(page, "failed").wait_for()
    return page


@state("conversations.index")
def conversations_arabic(env: Environment) -> Page:
    env.open_conversation("لأن الضوء يتشتت.", content="لماذا السماء زرقاء؟")
    return env.open_in_language("ar", "/conversations")


@state("conversations.show", nightly=True)
def conversation_in_arabic_on_an_english_page(env: Environment) -> Page:
    reply = "تبقى الدراجة **قائمة** لأنها تنعطف:\n\n- أولاً\n- ثانياً\n\n> اقتباس\n\n`code()`"
    return env.open_conversation(reply, content="كيف تبقى الدراجة قائمة؟")
