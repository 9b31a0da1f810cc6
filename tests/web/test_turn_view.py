"""HTML of the messages and replies on a page, and its size."""

from __future__ import annotations

import pytest
from sqlalchemy import select, update

from tests.support.history import get_only_person, insert_conversation
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.chat.schema import entries, turns
from twindow.rendering import RENDERER_VERSION
from twindow.web.container import Portal
from twindow.web.views.turn_view import MAX_PAGE_BYTES


@pytest.mark.limit("L36")
def test_page_with_many_long_replies_shortens_the_older_ones(
    alice: Person, upstream: Upstream, portal: Portal
):
    complete_first_turn(alice, upstream, "one", "first")
    conversation = insert_conversation(
        portal.database, get_only_person(portal.database), 20, sentences=10_000
    )
    html = f"<p>{'x' * (MAX_PAGE_BYTES // 2)}</p>"
    with portal.database.write() as connection:
        ids = select(turns.c.id).where(turns.c.conversation_id == conversation)
        connection.execute(update(entries).where(entries.c.turn_id.in_(ids)).values(html=html))

    page = alice.get(f"/conversations/{conversation}")
    notes = [turn.select_one(".turn__body .hint") for turn in page.turns]

    assert [note is not None for note in notes] == [*[True] * 19, False]
    assert len(page.response.content) < MAX_PAGE_BYTES * 1.1
    assert notes[0] is not None
    link = notes[0].select_one("a")
    assert link is not None
    assert alice.get(str(link["href"])).response.text.count("Answer 00001") == 10_000


@pytest.mark.limit("L36")
def test_long_messages_leave_less_room_for_replies(
    alice: Person, upstream: Upstream, portal: Portal
):
    page = complete_first_turn(alice, upstream, "&" * 32_000, "first")
    with portal.database.write() as connection:
        html = f"<p>{'x' * (MAX_PAGE_BYTES - 100_000)}</p>"
        connection.execute(update(entries).values(html=html))

    page = alice.get(page.path)

    assert "Only the beginning is shown" in page.text


@pytest.mark.limit("L36")
def test_page_with_many_long_messages_shortens_the_older_ones(
    alice: Person, upstream: Upstream, portal: Portal
):
    complete_first_turn(alice, upstream, "one", "first")
    conversation = insert_conversation(
        portal.database, get_only_person(portal.database), 20, sentences=1
    )
    with portal.database.write() as connection:
        of_page = turns.c.conversation_id == conversation
        content = '"' * 90_000  # escaped as &#34;, this is 450 KB of HTML
        connection.execute(update(turns).where(of_page).values(content=content))

    page = alice.get(f"/conversations/{conversation}")
    notes = [turn.select_one(".turn__body .hint") for turn in page.turns]

    assert [note is not None for note in notes] == [*[True] * 16, *[False] * 4]
    assert len(page.response.content) < MAX_PAGE_BYTES * 1.1


def test_end_of_a_reply_stores_its_html(alice: Person, upstream: Upstream, portal: Portal):
    complete_first_turn(alice, upstream, "one", "**first**")

    with portal.database.read() as connection:
        stored = connection.execute(select(entries.c.html, entries.c.html_version)).one()
    assert tuple(stored) == ("<p><strong>first</strong></p>", RENDERER_VERSION)


def test_page_renders_the_newest_missing_reply_and_shows_others_as_text(
    alice: Person, upstream: Upstream, portal: Portal
):
    complete_first_turn(alice, upstream, "one", "first")
    conversation = insert_conversation(portal.database, get_only_person(portal.database), 3)
    with portal.database.write() as connection:
        connection.execute(update(entries).values(html=None, html_version=None))

    page = alice.get(f"/conversations/{conversation}")
    replies = [turn.select_one(".turn__reply") for turn in page.turns]
    assert [reply.pre is not None for reply in replies if reply] == [True, True, False]
    assert page.text.count("Shown as plain text") == 2
    assert alice.get(page.path).text.count("Shown as plain text") == 1
