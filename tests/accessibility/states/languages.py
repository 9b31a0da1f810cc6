"""Pages in other languages: from right to left, and without an alphabet."""

from playwright.sync_api import Page

from tests.accessibility.stage import Stage, state
from tests.journeys.steps import turn

MIXED = "لأن الضوء الأزرق **يتشتت**.\n\nBecause of Rayleigh scattering: `sky()`.\n\n- أول\n- second"


def _said(stage: Stage, language: str, words: str) -> Page:
    page = _open(stage, language, "/twins/ada")
    page.locator("#message").fill(words)
    page.locator(".composer .button").click()
    turn(page, "waiting").wait_for()
    return page


def _open(stage: Stage, language: str, path: str) -> Page:
    stage.page.context.set_extra_http_headers({"Accept-Language": language})
    return stage.open(path)


@state("twins.index")
def gallery_arabic(stage: Stage) -> Page:
    return _open(stage, "ar", "/")


@state("preferences.show")
def preferences_arabic(stage: Stage) -> Page:
    return _open(stage, "ar", "/preferences")


@state("conversations.show")
def conversation_arabic(stage: Stage) -> Page:
    page = _said(stage, "ar", "لماذا السماء زرقاء؟")
    stage.upstream.next_call().start_stream().complete(MIXED)
    turn(page, "complete").wait_for()
    return page


@state("conversations.show")
def conversation_arabic_refused(stage: Stage) -> Page:
    page = _said(stage, "ar", "Why is the sky blue?")
    stage.upstream.next_call().respond(429, {}, retry_after="120")
    turn(page, "failed").wait_for()
    return page


@state("conversations.index")
def conversations_arabic(stage: Stage) -> Page:
    stage.heard("لأن الضوء يتشتت.", words="لماذا السماء زرقاء؟")
    return _open(stage, "ar", "/conversations")


@state("")
def not_found_german(stage: Stage) -> Page:
    return _open(stage, "de", "/nowhere")


@state("conversations.show")
def conversation_japanese_failed(stage: Stage) -> Page:
    page = _said(stage, "ja", "空はなぜ青いのですか。")
    stage.upstream.next_call().start_stream().reset()
    turn(page, "interrupted").wait_for()
    return page
