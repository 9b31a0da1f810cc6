"""Twins that only some groups may use: for everybody else they do not exist."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from flask import Flask

from tests.support.clock import AdjustableClock
from tests.support.images import png
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn, wait_for_reply
from tests.support.sign_in_steps import add_people, client_of, sign_in
from tests.support.upstream import Upstream
from twindow.accounts import Accounts
from twindow.web.container import Portal

AVATAR_PATH = "/api/v1/avatars/ada.png"


# Limit the twin Ada to a group; visitors may use the other twins.
pytestmark = pytest.mark.settings(sign_in="visitor,password", twin_groups="ada=staff")


@pytest.fixture
def upstream(upstream: Upstream) -> Upstream:
    """Give Ada an avatar, and add a twin without a rule."""
    upstream.twins = [
        {"id": "ada", "name": "Ada", "avatarUrl": AVATAR_PATH},
        {"id": "ben", "name": "Ben"},
    ]
    upstream.answers[AVATAR_PATH] = lambda call: call.respond(200, png(), content_type="image/png")
    return upstream


@pytest.fixture
def accounts(portal: Portal, upstream: Upstream) -> Accounts:
    """Add Anna, who is in the group, and Ben, who is not."""
    portal.avatars.max_wait_seconds = 10.0
    accounts = add_people(portal)
    accounts.people.set_groups(accounts.people.find("Anna"), ["staff"])
    return accounts


def leave_group(accounts: Accounts) -> None:
    """Take Anna out of the group."""
    accounts.people.set_groups(accounts.people.find("Anna"), [])


def test_gallery_shows_the_twins_of_the_persons_groups(
    anna: Person, bob: Person, new_person: Callable[[], Person]
):
    sign_in(bob, "Ben")

    assert "Ada" in anna.get("/").text
    assert "Ada" not in bob.get("/").text
    assert "Ada" not in new_person().get("/").text
    assert "Ben" in new_person().get("/").text


def test_message_to_a_hidden_twin_gets_404_and_is_not_sent(
    anna: Person, upstream: Upstream, accounts: Accounts
):
    page = anna.get("/twins/ada")
    leave_group(accounts)

    assert anna.press(page, "Send", content="Hello").status == 404
    assert upstream.sent_messages() == []


def test_hidden_conversation_rejects_messages_without_showing_earlier_ones(
    anna: Person, upstream: Upstream, accounts: Accounts
):
    page = complete_first_turn(anna, upstream, "Secret question", "Secret reply")
    action, fields = page.button_action("Send")
    leave_group(accounts)

    for headers in ({}, HTMX_HEADERS):
        answer = anna.post(action, fields | {"content": "More", "seen": "other"}, **headers)
        assert (answer.status, "Secret" in answer.response.text) == (404, False)
    assert upstream.sent_messages() == ["Secret question"]


def test_avatar_of_a_hidden_twin_looks_like_a_missing_one(anna: Person, bob: Person):
    sign_in(bob, "Ben")
    [path] = [str(image["src"]) for image in anna.get("/").html.select(".cards img.avatar")]
    etag = anna.get(path).response.headers["ETag"]
    missing = bob.get(f"/avatars/nobody/{path.rpartition('/')[2]}").response
    hidden = bob.get(path, **{"If-None-Match": etag}).response

    assert anna.get(path).response.headers["Content-Type"] == "image/png"
    assert (hidden.status_code, hidden.content) == (missing.status_code, missing.content)
    assert "ETag" not in hidden.headers


def test_answers_of_a_hidden_twin_are_not_compared(
    anna: Person, upstream: Upstream, accounts: Accounts
):
    complete_first_turn(anna, upstream, "Question", "Secret reply")
    page = anna.start_conversation("Question", twin="ben")
    upstream.next_call().start_stream().complete("Open reply")
    page = wait_for_reply(anna, page)
    leave_group(accounts)
    compared = anna.get(f"/?turn={page.turns[0]['data-turn']}").html.select_one("#answers")

    assert "Open reply" in compared.get_text()
    assert "Secret reply" not in compared.get_text()


def test_conversations_are_hidden_with_their_twin_and_come_back(
    anna: Person, upstream: Upstream, accounts: Accounts
):
    path = complete_first_turn(anna, upstream, "Secret question", "Secret reply").path
    pages = (
        "/",
        "/conversations",
        "/conversations?q=question",
        "/conversations?twin=ada",
        path,
        f"{path}/export?format=md",
        f"/conversations?done=pinned&conversation={path.rpartition('/')[2]}",
    )
    leave_group(accounts)
    hidden = [page for page in pages if "Secret" in anna.get(page).response.text]
    accounts.people.set_groups(accounts.people.find("Anna"), ["staff"])
    shown = [page for page in pages[1:6] if "Secret" in anna.get(page).response.text]

    assert hidden == []
    assert shown == list(pages[1:6])


def test_deleted_conversation_of_a_hidden_twin_cannot_be_restored(
    anna: Person, upstream: Upstream, accounts: Accounts, portal: Portal
):
    page = complete_first_turn(anna, upstream, "Secret question", "Secret reply")
    deleted = anna.press(page, "Delete")
    leave_group(accounts)

    assert "Secret" not in anna.get("/conversations").text
    assert "Restore" not in anna.get(page.path).text
    assert anna.press(deleted, "Undo").status == 404
    assert anna.get(page.path).status == 404


def test_open_streams_end_when_the_person_leaves_the_group(
    anna: Person, upstream: Upstream, accounts: Accounts, clock: AdjustableClock
):
    """The other ends of a person's access are in tests/web/test_revocation.py."""
    page = anna.start_conversation("Hello")
    call = upstream.next_call().start_stream()
    url = f"{anna.base_url}{page.path}?follow=1"
    noscript_page = anna.session.get(url, stream=True, timeout=10).iter_content(None)
    with anna.follow(str(page.turns[0]["data-turn"])) as stream:
        call.delta("First. ")
        stream.read_until("First.")
        while b"First." not in next(noscript_page):
            pass
        leave_group(accounts)
        clock.advance(2)
        call.delta("Second.")
        events = "".join(event.data for event in stream.remaining_events())

    for rest in (events, b"".join(noscript_page).decode()):
        assert "your session has ended" in rest
        assert "Second" not in rest


def test_export_ends_when_the_person_leaves_the_group(
    app: Flask, anna: Person, upstream: Upstream, accounts: Accounts, clock: AdjustableClock
):
    page = complete_first_turn(anna, upstream, "Hello", "Secret reply")
    chunks = client_of(app, anna).get(f"{page.path}/export?format=md").iter_encoded()
    first = next(chunks)
    leave_group(accounts)
    clock.advance(2)

    assert b"Hello" in first
    assert b"Secret reply" not in b"".join(chunks)


@pytest.mark.settings(
    sign_in="proxy",
    proxy_user_header="X-Remote-User",
    proxy_groups_header="X-Remote-Groups",
    proxy_networks="127.0.0.1",
)
class TestProxy:
    @pytest.fixture(autouse=True)
    def accounts(self, portal: Portal, upstream: Upstream) -> Accounts:  # noqa: ARG002
        """Return the accounts without adding people."""
        return portal.accounts

    def test_groups_of_a_person_follow_the_groups_header_of_the_proxy(
        self, bob: Person, accounts: Accounts
    ):
        bob.session.headers["X-Remote-User"] = "bob"
        seen = []
        for groups in ("guests, staff", "guests", "Staff", "", "staff"):
            bob.session.headers["X-Remote-Groups"] = groups
            seen.append("Ada" in bob.get("/").text)

        assert seen == [True, False, False, False, True]
        assert accounts.people.find("proxy:bob").groups == ("staff",)
