"""View transitions between pages: only with scripts, and unless motion is reduced."""

from __future__ import annotations

from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import send_message, turn
from tests.support.upstream import Upstream

NAME = "element => getComputedStyle(element).viewTransitionName"
NOTE = "addEventListener('pagereveal', event => { window.turned = Boolean(event.viewTransition) })"


def test_avatar_is_animated_to_the_next_page_unless_motion_is_reduced(
    context: BrowserContext, upstream: Upstream
):
    for motion, turned in (("no-preference", True), ("reduce", False)):
        page = context.new_page()
        page.emulate_media(reduced_motion=motion)
        page.add_init_script(NOTE)
        page.goto("/twins/ada")
        before = page.locator(".twin-header .avatar").evaluate(NAME)
        send_message(page, "Hello")
        upstream.next_call().start_stream().complete("Hello to you")
        expect(turn(page, "complete")).to_be_visible()

        assert before == page.locator("header > .avatar").evaluate(NAME) == "face"
        assert page.evaluate("window.turned") is turned
        assert page.locator(".turn .avatar").first.evaluate(NAME) == "none"
