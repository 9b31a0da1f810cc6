"""The list of conversations, and the pages of single conversations."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from sqlalchemy import select

from chat.schema import api_quotas
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from web.container import Portal


def test_conversations_are_listed_and_filtered(alice: Person, bob: Person, upstream: Upstream):
    assert "No conversations yet" in alice.get("/conversations").text
    complete_first_turn(alice, upstream, "About engines", "Yes")
    page = alice.get("/twins/" + "a%2Fb%20c%3F%23%C3%BC")
    alice.press(page, "Send", content="About nothing")
    upstream.next_call().start_stream().complete("Right")

    def titles(path: str) -> list[str]:
        return [a.get_text() for a in alice.get(path).html.select(".rows > li > a")]

    assert titles("/conversations") == ["About nothing", "About engines"]
    assert titles("/conversations?twin=ada") == ["About engines"]
    assert titles("/conversations?q=NOTHING") == ["About nothing"]
    assert titles("/conversations?page=99") == ["About nothing", "About engines"]
    assert bob.get("/conversations").html.select(".rows li") == []
    assert alice.get("/conversations?twin=ada").html.title.get_text().startswith("All conv")


def test_viewing_conversations_needs_no_service_request(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    before = len(upstream.calls)
    for path in (page.path, "/conversations", page.path):
        alice.get(path)

    assert len(upstream.calls) == before


def test_out_of_range_numbers_in_the_query_are_harmless(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")

    for query in ("before=" + "9" * 30, "before=-1", "before=x", "follow=x"):
        assert alice.get(f"{page.path}?{query}").status == 200
    assert alice.get("/conversations?page=" + "9" * 30).status == 200


def test_low_quota_is_announced_before_it_is_exhausted(
    alice: Person, upstream: Upstream, portal: Portal
):
    page = alice.start_conversation("hello")
    call = upstream.next_call()
    call.send_head(
        200,
        content_type="text/event-stream",
        x_ratelimit_limit="500",
        x_ratelimit_remaining="3",
        x_ratelimit_reset="600",
    )
    call.complete("Hello")
    page = wait_for_reply(alice, page)

    assert "3 messages left until" in page.text
    with portal.database.read() as connection:
        resets_at = math.ceil(connection.execute(select(api_quotas.c.resets_at)).scalar_one())
    time = page.html.select_one("#composer .hint time")["datetime"]
    assert time == datetime.fromtimestamp(resets_at, UTC).isoformat()
