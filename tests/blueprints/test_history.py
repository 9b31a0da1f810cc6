"""Retry of a reply that was cut off in the portal but may be complete at the service."""

from __future__ import annotations

import pytest

from tests.support.cases import failures
from tests.support.person import Page, Person, wait_for_reply
from tests.support.upstream import UPSTREAM_KEY, Upstream
from web.container import Portal

Said = dict[str, str]


def said(role: str, content: str, **more: str) -> Said:
    return {"role": role, "content": content, **more}


def cut_off(alice: Person, upstream: Upstream) -> Page:
    """Return the page of a conversation whose second reply was cut off."""
    page = alice.start_conversation("first")
    upstream.next_call().start_stream().complete("One")
    page = alice.press(wait_for_reply(alice, page), "Send", content="second")
    call = upstream.next_call().start_stream()
    call.delta("Tw")
    call.close()
    return wait_for_reply(alice, page)


@pytest.fixture
def cut(alice: Person, upstream: Upstream) -> Page:
    return cut_off(alice, upstream)


def at(minute: int, role: str, content: str) -> Said:
    return said(role, content, createdAt=f"2026-01-01T00:{minute:02}:00Z")


FIRST = [said("user", "first"), said("assistant", "One"), said("user", "second")]


FOUND = {
    "in order": [*FIRST, said("assistant", "Two")],
    "newest first, with times": [
        at(3, "assistant", "Two"),
        at(2, "user", "second"),
        at(1, "assistant", "One"),
        at(0, "user", "first"),
    ],
}


def test_retry_takes_the_reply_from_the_service_history(alice: Person, upstream: Upstream):
    def check(history: list[Said]) -> None:
        upstream.calls.clear()
        page = cut_off(alice, upstream)
        upstream.history = history
        page = wait_for_reply(alice, alice.press(page, "Retry"))
        assert page.reply_states == ["complete", "interrupted", "complete"]
        assert page.turns[-1].select_one(".turn__reply").get_text().strip() == "Two"
        assert upstream.sent_messages() == ["first", "second"]

    assert failures(check, FOUND) == {}


def test_key_is_masked_in_a_reply_from_the_history(alice: Person, upstream: Upstream, cut: Page):
    upstream.history = [*FIRST, said("assistant", f"It is {UPSTREAM_KEY}.")]

    page = wait_for_reply(alice, alice.press(cut, "Retry"))

    assert page.turns[-1].select_one(".turn__reply").get_text().strip() == "It is •••."


# Histories in which no complete reply clearly answers "second".
NOT_FOUND: list[list[Said] | None] = [
    FIRST,
    FIRST[:2],
    [*FIRST, said("assistant", " ")],
    [*FIRST, said("assistant", "Tw", status="incomplete")],
    [said("user", "second"), said("assistant", "of another time"), *FIRST],
    [
        said("user", "other"),
        said("assistant", "unknown"),
        said("user", "second"),
        said("x", "y"),
    ],
    [{"role": 5}, "junk", *FIRST],
    [
        said("assistant", "of another"),
        said("user", "second"),
        said("assistant", "One"),
        said("user", "first"),
    ],
    [said("user", "second"), said("assistant", "Of first"), said("user", "first")],
    [
        said("user", "first", id="u1"),
        said("assistant", "One"),
        said("user", "second", id="u2"),
        said("assistant", "other", replyTo="u1"),
    ],
    None,
]


def test_retry_resends_a_message_without_a_reply_in_the_history(alice: Person, upstream: Upstream):
    def check(history: list[Said] | None) -> None:
        upstream.calls.clear()
        page = cut_off(alice, upstream)
        upstream.history = history
        page = alice.press(page, "Retry")
        upstream.next_call().start_stream().complete("Two")
        assert wait_for_reply(alice, page).reply_states == ["complete", "interrupted", "complete"]
        assert upstream.sent_messages() == ["first", "second", "second"]

    assert failures(check, {repr(history): history for history in NOT_FOUND}) == {}


def test_history_is_requested_only_once_if_the_service_does_not_offer_it(
    alice: Person, upstream: Upstream, cut: Page
):
    upstream.answers["/api/v1/conversations/up-1/messages"] = 405, {}
    page = cut
    for _ in range(2):
        page = alice.press(page, "Retry")
        call = upstream.next_call().start_stream()
        call.delta("Tw")
        call.close()
        page = wait_for_reply(alice, page)

    looks = [call for call in upstream.calls if call.method == "GET" and "messages" in call.path]
    assert len(looks) == 1


def test_history_is_not_requested_for_an_unsent_message(alice: Person, upstream: Upstream):
    page = alice.start_conversation("hello")
    upstream.next_call().respond(422, {"error": "no"})
    page = alice.press(wait_for_reply(alice, page), "Retry")
    upstream.next_call().start_stream().complete("Hello")
    wait_for_reply(alice, page)

    assert not [call for call in upstream.calls if call.path.endswith("messages?page=1&limit=100")]


def test_reply_that_ends_while_a_retry_gets_409_is_taken_from_the_history(
    alice: Person, upstream: Upstream, cut: Page, portal: Portal
):
    portal.service.reply_worker.conflict_retry_delays = (0.0,)
    upstream.history = FIRST
    page = alice.press(cut, "Retry")
    call = upstream.next_call()
    upstream.history = [*FIRST, said("assistant", "Two")]
    call.respond(409, {"error": "busy"})

    page = wait_for_reply(alice, page)
    assert page.reply_states[-1] == "complete"
    assert upstream.sent_messages() == ["first", "second", "second"]
