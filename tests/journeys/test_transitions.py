"""View transitions between pages: only with scripts, and unless motion is reduced."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.support.page_steps import send_message, turn
from tests.support.upstream import Upstream

NAME = "element => getComputedStyle(element).viewTransitionName"
NOTE = """addEventListener("pagereveal", (event) => event.viewTransition?.ready.then(() => {
  window.moves = document.getAnimations().some(({ effect }) => effect.pseudoElement);
}))"""


def test_avatar_is_animated_to_the_next_page_unless_motion_is_reduced(
    context: BrowserContext, upstream: Upstream
):
    for motion, moves in (("no-preference", True), ("reduce", False)):
        page = context.new_page()
        page.emulate_media(reduced_motion=motion)
        page.add_init_script(NOTE)
        page.goto("/twins/ada")
        before = page.locator(".twin-header .avatar").evaluate(NAME)
        send_message(page, "Hello")
        upstream.next_call().start_stream().complete("Hello to you")
        expect(turn(page, "complete")).to_be_visible()

        assert before == page.locator("header > .avatar").evaluate(NAME) == "face"
        page.wait_for_function("() => window.moves !== undefined")
        assert page.evaluate("window.moves") is moves
        assert page.locator(".turn .avatar").first.evaluate(NAME) == "none"
