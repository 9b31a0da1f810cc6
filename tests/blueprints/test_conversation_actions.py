"""Renaming, pinning and archiving conversations, and the notices in the list."""

from __future__ import annotations

import pytest

from tests.support.conversation_list import backdate, date_groups, listed_titles
from tests.support.person import Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from twindow.web.container import Portal


@pytest.mark.limit("L7")
def test_title_can_be_changed_and_reset_to_the_first_words_of_the_message(
    alice: Person, page: Page
):
    renamed = alice.rename(page, title="  On\tlight <b> ")
    assert renamed.path == page.path
    assert renamed.html.h1.get_text() == "On light <b>"
    assert listed_titles(alice.get("/conversations?q=light")) == ["On light <b>"]

    for nothing in ("", "   ", "\u3000\n", "\u200b", "\u3164"):
        assert alice.rename(renamed, title=nothing).html.h1.get_text() == ("Why is the sky blue?")
    long = alice.rename(page, title="x" * 5_000).html.h1.get_text()
    assert long == "x" * 200


def test_pinned_conversations_come_before_the_date_groups(
    alice: Person, portal: Portal, upstream: Upstream, page: Page
):
    complete_first_turn(alice, upstream, "Newer", "Yes")
    old = complete_first_turn(alice, upstream, "Older", "Yes")
    backdate(portal, old, 800)
    alice.press(page, "Pin")

    listed = date_groups(alice.get("/conversations"))
    assert listed[:2] == [("Pinned", ["Why is the sky blue?"]), ("Today", ["Newer"])]
    assert listed[2][1] == ["Older"]
    side = alice.get(old.path).html.select(".sidebar h2")
    assert [h.get_text() for h in side] == [name for name, _ in listed]

    alice.press(alice.get(page.path), "Unpin")
    assert date_groups(alice.get("/conversations"))[0] == (
        "Today",
        ["Newer", "Why is the sky blue?"],
    )


def test_archived_conversation_is_listed_separately_until_it_is_unarchived(
    alice: Person, page: Page
):
    put_away = alice.press(page, "Archive")
    assert "“ Why is the sky blue? ” archived" in put_away.text
    assert listed_titles(put_away) == []
    assert listed_titles(alice.get("/conversations?view=archived")) == ["Why is the sky blue?"]
    assert listed_titles(alice.get("/conversations?q=scattering")) == ["Why is the sky blue?"]
    assert "archived" in alice.get(page.path).html.select_one(".conversation header p").get_text()

    back = alice.press(put_away, "Undo")
    assert listed_titles(back) == ["Why is the sky blue?"]
    assert "“ Why is the sky blue? ” unarchived" in back.text


def test_every_action_shows_a_notice_with_focus(alice: Person, page: Page):
    for button, sentence in (
        ("Rename", "Renamed to “ Why is the sky blue? ”"),
        ("Pin", "“ Why is the sky blue? ” pinned"),
        ("Unpin", "“ Why is the sky blue? ” unpinned"),
        ("Archive", "“ Why is the sky blue? ” archived"),
        ("Undo", "“ Why is the sky blue? ” unarchived"),
        ("Delete", "“ Why is the sky blue? ” deleted"),
        ("Undo", "“ Why is the sky blue? ” restored"),
    ):
        page = alice.rename(page) if button == "Rename" else alice.press(page, button)
        assert sentence in " ".join(page.html.select_one(".note[autofocus]").get_text(" ").split())
    conversation_id = page.html.select_one(".rows a")["href"].rpartition("/")[2]
    reloaded = alice.get(f"/conversations?done=archived&conversation={conversation_id}")
    assert not reloaded.html.select(".note")
    for wrong in (
        "done=x&conversation=y",
        "done=deleted&conversation=",
        "done=pinned&conversation=%00",
    ):
        assert "“" not in alice.get(f"/conversations?{wrong}").text


def test_renaming_does_not_interrupt_a_running_reply(alice: Person, upstream: Upstream):
    page = alice.start_conversation("Tell me all")
    call = upstream.next_call().start_stream()
    call.delta("It began")
    renamed = alice.rename(page, title="History")
    call.complete("It began, and ended")

    assert wait_for_reply(alice, renamed).reply_states == ["complete"]


def test_action_from_the_sidebar_returns_to_the_page_and_its_notice_offers_undo(
    alice: Person, page: Page
):
    for path in ("/help", "/search?q=sky"):
        after = alice.press(page, "Archive", archived="1", next=path)
        assert after.path == path.partition("?")[0]
        assert "archived" in after.html.select_one(".toast").get_text()
        after = alice.press(after, "Undo")
        assert after.path == path.partition("?")[0]
        assert "unarchived" in after.html.select_one(".toast").get_text()


@pytest.mark.parametrize(
    "path",
    ["https://evil.example/", "/static/htmx.js", "/no/page", "\r\nX: y", "http://[x"],
)
def test_action_leads_only_to_pages_of_this_portal(alice: Person, page: Page, path: str):
    after = alice.rename(page, title="Mine", next=path)

    assert after.path == "/conversations"
    assert listed_titles(after) == ["Mine"]


def test_redirect_url_length_is_limited(alice: Person, page: Page):
    fields = "&".join(f"a{number}=1" for number in range(10_000))
    after = alice.rename(page, title="Mine", next=f"/conversations?{fields}")

    assert len(after.response.url) < 3_000
    assert listed_titles(after) == ["Mine"]


def test_list_keeps_its_search_and_filter_after_an_action(alice: Person, page: Page):
    found = alice.get("/conversations?q=sky&twin=ada")
    renamed = alice.rename(found, title="A sky")
    assert "q=sky" in renamed.response.url
    assert "twin=ada" in renamed.response.url

    gone = alice.press(renamed, "Delete")
    assert "q=sky" in gone.response.url
    assert "No results for" in gone.text
    assert listed_titles(alice.press(gone, "Undo")) == ["A sky"]


def test_notice_is_shown_in_the_row_of_the_conversation(
    alice: Person, upstream: Upstream, page: Page
):
    complete_first_turn(alice, upstream, "Newer", "Yes")
    listed = alice.get("/conversations")
    listed.html.select_one(".rows > li").decompose()
    renamed = alice.rename(listed, title="Light")

    [note] = renamed.html.select(".note[autofocus]")
    assert note.parent.select_one(":scope > a").get_text() == "Light"
    assert "Renamed to “ Light ”" in note.get_text(" ", strip=True)

    put_away = alice.press(alice.get(page.path), "Archive")
    assert put_away.html.select_one(".note[autofocus]").parent.name == "main"


def test_empty_list_mentions_archived_conversations(alice: Person, page: Page):
    alice.press(page, "Archive")
    listed = alice.get("/conversations")

    assert "All your conversations are archived" in listed.text
    assert "No conversations yet" not in listed.text
    [way] = listed.html.select(".empty-state a")
    assert listed_titles(alice.get(way["href"])) == ["Why is the sky blue?"]
    assert (
        "All your conversations with Ada are archived" in alice.get("/conversations?twin=ada").text
    )
    assert "archived</h2>" not in alice.get("/conversations?twin=other").response.text
