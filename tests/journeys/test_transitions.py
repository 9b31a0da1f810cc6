"""One page turns into the next, for those who like things to move, and only with scripts."""

from __future__ import annotations

import pytest
from playwright.sync_api import BrowserContext, Page, expect

NAME = "element => getComputedStyle(element).viewTransitionName"
NOTE = "addEventListener('pagereveal', event => { window.turned = Boolean(event.viewTransition) })"


def to_ada(page: Page) -> tuple[str, str]:
    """Go from the gallery to a twin; return what her face is called on both pages."""
    page.goto("/")
    before = page.locator(".card", has_text="Ada").locator(".face").evaluate(NAME)
    page.get_by_role("link", name="Ada").click()
    expect(page.get_by_role("heading", name="Ada", level=1)).to_be_visible()
    page.wait_for_load_state()
    return before, page.locator(".hello .face").evaluate(NAME)


@pytest.mark.parametrize(("motion", "turned"), [("no-preference", True), ("reduce", False)])
def test_the_face_on_the_card_becomes_the_face_on_the_page(
    context: BrowserContext, motion: str, turned: bool
):
    page = context.new_page()
    page.emulate_media(reduced_motion=motion)
    page.add_init_script(NOTE)

    before, after = to_ada(page)

    assert before == after
    assert before.startswith("face-")
    assert page.evaluate("window.turned") is turned


def test_no_two_faces_have_one_name(context: BrowserContext):
    page = context.new_page()
    page.goto("/")
    names = [face.evaluate(NAME) for face in page.locator(".face").all()]

    assert len(names) > 1
    assert len(set(names)) == len(names)
