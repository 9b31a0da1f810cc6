"""One page turns into the next, for those who like things to move, and only with scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.journeys.steps import say, turn
from tests.support.upstream import Upstream

NAME = "element => getComputedStyle(element).viewTransitionName"
NOTE = "addEventListener('pagereveal', event => { window.turned = Boolean(event.viewTransition) })"


@pytest.mark.parametrize(("motion", "turned"), [("no-preference", True), ("reduce", False)])
def test_the_face_on_the_page_of_a_twin_becomes_the_face_above_the_conversation(
    context: BrowserContext, upstream: Upstream, motion: str, turned: bool
):
    page = context.new_page()
    page.emulate_media(reduced_motion=motion)
    page.add_init_script(NOTE)
    page.goto("/twins/ada")
    before = page.locator(".hello .face").evaluate(NAME)
    say(page, "Hello")
    upstream.next_call().start_stream().complete("Hello to you")
    expect(turn(page, "complete")).to_be_visible()

    assert before == page.locator("header > .face").evaluate(NAME) == "face"
    assert page.evaluate("window.turned") is turned
    assert page.locator(".turn .face").first.evaluate(NAME) == "none"
