"""The sidebar with the latest conversations."""

from __future__ import annotations

from sqlalchemy import select, update

from tests.support.history import get_only_person, insert_conversation
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.chat.schema import conversations
from twindow.web.container import Portal


def test_sidebar_lists_all_pinned_twenty_other_and_the_open_conversation(
    alice: Person, portal: Portal, page: Page
):
    person = get_only_person(portal.database)
    for _ in range(40):
        insert_conversation(portal.database, person, 1)
    pinned = conversations.c.id.in_(select(conversations.c.id).limit(15))
    with portal.database.write() as connection:
        connection.execute(update(conversations).where(pinned).values(pinned=True))

    groups = alice.get("/help").html.select("#recent ul")
    assert [len(group.select("li")) for group in groups] == [15, 20]

    with portal.database.write() as connection:
        values = {"archived": True, "pinned": False, "updated_at": 1e9}
        connection.execute(update(conversations).values(values))
    answer = alice.get(page.path)
    assert [heading.get_text() for heading in answer.html.select("#recent h2")] == [
        "September 2001"
    ]
    assert (
        answer.html.select_one("#recent [aria-current] span").get_text() == "Why is the sky blue?"
    )


def test_row_of_the_sidebar_has_a_menu_that_returns_to_the_page(
    alice: Person, upstream: Upstream, page: Page
):
    other = complete_first_turn(alice, upstream, "Other", "Yes")
    [url] = {
        str(button["hx-get"])
        for button in alice.get(other.path).html.select("#recent button")
        if page.path in str(button["hx-get"])
    }
    assert alice.get(url).path == page.path
    headers = HTMX_HEADERS | {"HX-Current-URL": f"{alice.base_url}{other.path}"}
    menu = alice.get(url, **headers)
    form = alice.get(str(menu.html.select_one("a")["href"]), **headers)
    renamed = alice.press(form, "Save", title="Better")
    assert renamed.path.split("?")[0] == other.path
    assert "Renamed to" in renamed.html.select_one(".composer .note").get_text()
    deleted = alice.press(menu, "Delete")
    assert deleted.path.split("?")[0] == other.path
    assert alice.press(deleted, "Undo").path.split("?")[0] == other.path
    assert alice.get(page.path).html.h1.get_text() == "Better"


def test_list_of_a_page_whose_conversation_was_deleted_has_the_others(
    alice: Person, upstream: Upstream, page: Page
):
    opened = page.path.rpartition("/")[2]
    complete_first_turn(alice, upstream, "Newer", "Yes")
    alice.press(alice.get(page.path), "Delete")

    answer = alice.get(f"/conversations/recent?opened={opened}", **HTMX_HEADERS)

    assert [link.get_text() for link in answer.html.select("li a > span")] == ["Newer"]


def test_row_tells_that_a_reply_runs_or_that_nobody_has_seen_it(
    alice: Person, upstream: Upstream, page: Page
):
    def marks_on(path: str) -> list[str]:
        rows = alice.get(path).html.select("#recent a")
        return [row.get_text(" ", strip=True).removeprefix("A ") for row in rows]

    waiting = alice.start_conversation("Other")
    call = upstream.next_call().start_stream()
    assert marks_on(page.path) == ["Other Replying…", "Why is the sky blue?"]

    call.complete("Yes")
    with alice.follow(waiting) as stream:
        stream.remaining_events()
    assert marks_on(page.path) == ["Other New reply", "Why is the sky blue?"]

    assert marks_on(waiting.path) == ["Other", "Why is the sky blue?"]
    assert marks_on(page.path) == ["Other", "Why is the sky blue?"]


def test_reply_stays_new_until_its_own_newest_page_is_opened(
    alice: Person, upstream: Upstream, portal: Portal, page: Page
):
    other = alice.start_conversation("Other")
    call = upstream.next_call().start_stream()
    call.complete("Yes")
    with alice.follow(other) as stream:
        stream.remaining_events()

    for path in (page.path, f"{other.path}?before=1", "/conversations"):
        assert alice.get(path).html.select("[data-reply=unread]") or "before" in path, path
    conversation_id = other.path.rpartition("/")[2]
    alice.get(other.path)
    portal.conversations.mark_seen(conversation_id, 0)
    assert not alice.get(page.path).html.select("[data-reply]")
