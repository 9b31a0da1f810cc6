"""The conversations that stand beside one."""

from __future__ import annotations

import pytest

from tests.blueprints.listing import move
from tests.support.person import HTMX, Page, Person, ended, say_and_hear
from tests.support.upstream import Upstream
from web.container import Portal


def test_whoever_goes_on_with_an_earlier_one_finds_it_first_in_the_list_beside_it(
    alice: Person, upstream: Upstream, page: Page
):
    newer = say_and_hear(alice, upstream, "Newer", "Yes")

    def beside(page: Page) -> list[str]:
        action, fields = page.action("Send")
        answer = alice.post(action, fields | {"content": "more"}, **HTMX)
        upstream.next_call().start_stream().complete("Yes")
        ended(alice, page)
        return [link.get_text() for link in answer.html.select("#sidebar li a")]

    assert beside(alice.get(newer.path)) == []
    assert beside(alice.get(page.path)) == ["Why is the sky blue?", "Newer"]
    assert beside(alice.get(page.path)) == []


@pytest.mark.parametrize("column", ["archived", "updated_at"])
def test_whoever_goes_on_with_one_that_was_put_away_finds_it_at_the_side(
    alice: Person, portal: Portal, page: Page, column: str
):
    action, fields = page.action("Send")
    if column == "archived":
        alice.press(page, "Archive")
    else:
        move(portal, page, 3)
    answer = alice.post(action, fields | {"content": "more"}, **HTMX)

    assert answer.html.select_one("#sidebar h2").get_text() == "Today"


def test_a_pinned_one_comes_before_other_pinned_ones(alice: Person, upstream: Upstream, page: Page):
    newer = say_and_hear(alice, upstream, "Newer", "Yes")
    for each in (page, newer):
        alice.press(alice.get(each.path), "Pin")
    action, fields = alice.get(page.path).action("Send")
    answer = alice.post(action, fields | {"content": "more"}, **HTMX)

    links = [link.get_text() for link in answer.html.select("#sidebar li a")]
    assert links == ["Why is the sky blue?", "Newer"]
