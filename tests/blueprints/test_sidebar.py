"""The conversations that stand beside one."""

from __future__ import annotations

import pytest

from tests.blueprints.conversation_list import backdate
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from web.container import Portal


def test_whoever_goes_on_with_an_earlier_one_finds_it_first_in_the_list_beside_it(
    alice: Person, upstream: Upstream, page: Page
):
    newer = complete_first_turn(alice, upstream, "Newer", "Yes")

    def beside(page: Page) -> list[str]:
        action, fields = page.button_action("Send")
        answer = alice.post(action, fields | {"content": "more"}, **HTMX_HEADERS)
        upstream.next_call().start_stream().complete("Yes")
        wait_for_reply(alice, page)
        return [link.get_text() for link in answer.html.select("#sidebar li a")]

    assert beside(alice.get(newer.path)) == []
    assert beside(alice.get(page.path)) == ["Why is the sky blue?", "Newer"]
    assert beside(alice.get(page.path)) == []


@pytest.mark.parametrize("column", ["archived", "updated_at"])
def test_whoever_goes_on_with_one_that_was_put_away_finds_it_at_the_side(
    alice: Person, portal: Portal, page: Page, column: str
):
    action, fields = page.button_action("Send")
    if column == "archived":
        alice.press(page, "Archive")
    else:
        backdate(portal, page, 3)
    answer = alice.post(action, fields | {"content": "more"}, **HTMX_HEADERS)

    assert answer.html.select_one("#sidebar h2").get_text() == "Today"


def test_a_pinned_one_comes_before_other_pinned_ones(alice: Person, upstream: Upstream, page: Page):
    newer = complete_first_turn(alice, upstream, "Newer", "Yes")
    for each in (page, newer):
        alice.press(alice.get(each.path), "Pin")
    action, fields = alice.get(page.path).button_action("Send")
    answer = alice.post(action, fields | {"content": "more"}, **HTMX_HEADERS)

    links = [link.get_text() for link in answer.html.select("#sidebar li a")]
    assert links == ["Why is the sky blue?", "Newer"]
