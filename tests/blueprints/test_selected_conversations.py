"""Archiving, deleting and restoring several conversations at once."""

from __future__ import annotations

import pytest

from tests.support.conversation_list import listed_titles
from tests.support.history import get_only_person, insert_conversation
from tests.support.person import Page, Person
from twindow.chat.conversations import PAGE_SIZE
from twindow.web.container import Portal

SKY = "Why is the sky blue?"


@pytest.fixture
def ids(portal: Portal, page: Page) -> list[str]:
    """Return the ids of three conversations of Alice."""
    person = get_only_person(portal.database)
    others = [insert_conversation(portal.database, person, 1, title=title) for title in "AB"]
    return [page.path.rpartition("/")[2], *others]


def post_selected(person: Person, action: str, ids: list[str], **fields: str) -> Page:
    return person.post(f"/conversations/selected/{action}", {"conversation": ids, **fields})


def undo(person: Person, page: Page) -> Page:
    """Press Undo in a notice about several conversations."""
    action, fields = page.button_action("Undo")
    hidden = page.html.select(".note input[name=conversation]")
    return person.post(action, {**fields, "conversation": [str(each["value"]) for each in hidden]})


def notice(page: Page) -> str:
    return page.html.select_one(".note[autofocus] span").get_text()


def test_every_row_has_a_box_of_the_form_below_the_list(alice: Person, ids: list[str]):
    for path in ("/conversations", "/conversations?q=sky"):
        listed = alice.get(path)
        boxes = listed.html.select(".rows input[name=conversation][form=selection]")
        assert [box["aria-label"] for box in boxes] == [
            f"Select {title}" for title in listed_titles(listed)
        ]
    assert alice.get("/conversations?q=nothing").html.select("#selection") == []


def test_selected_conversations_are_archived_and_unarchived_with_undo(
    alice: Person, ids: list[str]
):
    listed = post_selected(alice, "archive", ids[:2], archived="1")
    assert notice(listed) == "2 conversations archived"
    assert listed_titles(listed) == ["B"]
    back = undo(alice, listed)
    assert notice(back) == "2 conversations unarchived"
    assert len(listed_titles(back)) == 3
    assert listed_titles(undo(alice, back)) == ["B"]


def test_selected_conversations_are_deleted_with_undo(alice: Person, ids: list[str]):
    gone = post_selected(alice, "deletion", ids)
    assert notice(gone) == "3 conversations deleted"
    assert listed_titles(gone) == []
    assert "Deleted in the last ten minutes" not in gone.text
    assert notice(post_selected(alice, "deletion", ids)) == "3 conversations deleted"
    listed = alice.get("/conversations")
    assert len(listed.html.select(".rows--deleted li")) == 3

    for _ in "twice":
        back = undo(alice, gone)
        assert notice(back) == "3 conversations restored"
        assert len(listed_titles(back)) == 3


def test_restored_conversations_of_the_archive_are_shown_there(alice: Person, ids: list[str]):
    post_selected(alice, "archive", ids, archived="1")
    gone = post_selected(alice, "deletion", ids, next="/conversations?view=archived")
    back = undo(alice, gone)

    assert back.html.h1.get_text() == "Archived conversations"
    assert len(listed_titles(back)) == 3


def test_form_for_one_selected_conversation_shows_the_notice_of_one(alice: Person, ids: list[str]):
    gone = post_selected(alice, "deletion", ids[:1])
    assert f"“ {SKY} ” deleted" in gone.text
    assert SKY in listed_titles(alice.press(gone, "Undo"))


def test_form_ignores_what_is_missing_or_belongs_to_somebody_else(
    alice: Person, bob: Person, ids: list[str]
):
    for action in ("archive", "deletion", "restoration"):
        for selected in ([], ["missing"], ids):
            after = post_selected(bob, action, selected, archived="1")
            assert after.path == "/conversations"
            assert after.html.select(".note") == []
    assert len(listed_titles(alice.get("/conversations"))) == 3
    assert notice(post_selected(alice, "deletion", ["missing", *ids[:2]])) == (
        "2 conversations deleted"
    )


def test_form_changes_at_most_one_page_of_conversations(
    alice: Person, portal: Portal, ids: list[str]
):
    person = get_only_person(portal.database)
    ids += [insert_conversation(portal.database, person, 1) for _ in range(PAGE_SIZE)]

    assert notice(post_selected(alice, "deletion", ids)) == f"{PAGE_SIZE} conversations deleted"
    assert len(listed_titles(alice.get("/conversations"))) == 3
