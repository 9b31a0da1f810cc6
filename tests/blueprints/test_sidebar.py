"""The sidebar with the latest conversations."""

from __future__ import annotations

import pytest

from tests.blueprints.conversation_list import backdate
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from web.container import Portal


def test_continued_conversation_moves_to_the_top_of_the_sidebar(
    alice: Person, upstream: Upstream, page: Page
):
    newer = complete_first_turn(alice, upstream, "Newer", "Yes")

    def beside(page: Page) -> list[str]:
        action, fields = page.button_action("Send")
        answer = alice.post(action, fields | {"content": "more"}, **HTMX_HEADERS)
        upstream.next_call().start_stream().complete("Yes")
        wait_for_reply(alice, page)
        return [link.get_text() for link in answer.html.select("#recent li a > span")]

    assert beside(alice.get(newer.path)) == []
    assert beside(alice.get(page.path)) == ["Why is the sky blue?", "Newer"]
    assert beside(alice.get(page.path)) == []


@pytest.mark.parametrize("column", ["archived", "updated_at"])
def test_continued_archived_or_old_conversation_moves_to_today_in_the_sidebar(
    alice: Person, portal: Portal, page: Page, column: str
):
    action, fields = page.button_action("Send")
    if column == "archived":
        alice.press(page, "Archive")
    else:
        backdate(portal, page, 3)
    answer = alice.post(action, fields | {"content": "more"}, **HTMX_HEADERS)

    assert answer.html.select_one("#recent h2").get_text() == "Today"


def test_continued_pinned_conversation_comes_before_other_pinned_ones(
    alice: Person, upstream: Upstream, page: Page
):
    newer = complete_first_turn(alice, upstream, "Newer", "Yes")
    for each in (page, newer):
        alice.press(alice.get(each.path), "Pin")
    action, fields = alice.get(page.path).button_action("Send")
    answer = alice.post(action, fields | {"content": "more"}, **HTMX_HEADERS)

    links = [link.get_text() for link in answer.html.select("#recent li a > span")]
    assert links == ["Why is the sky blue?", "Newer"]
