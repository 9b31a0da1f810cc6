"""Try again: another version of the newest turn, with the same message."""

import pytest

from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream


def fail_first_turn(alice: Person, upstream: Upstream) -> Page:
    """Return the page of a conversation whose first reply has failed."""
    page = alice.start_conversation("first")
    upstream.next_call().respond(500, {"error": "boom"})
    return wait_for_reply(alice, page)


@pytest.mark.parametrize("headers", [{}, HTMX_HEADERS], ids=["page", "fragment"])
def test_retry_submitted_twice_creates_one_turn(
    alice: Person, upstream: Upstream, headers: dict[str, str]
):
    action, fields = fail_first_turn(alice, upstream).button_action("Try again")
    alice.post(action, fields, **headers)
    call = upstream.next_call().start_stream()
    answer = alice.post(action, fields, **headers)

    assert answer.turns[-1]["data-state"] == "waiting"
    call.complete("ok")
    page = wait_for_reply(alice, alice.post(action, fields))
    assert page.reply_states == ["complete"]
    assert upstream.sent_messages() == ["first", "first"]


def test_retry_during_another_reply_shows_only_a_notice(alice: Person, upstream: Upstream):
    page = fail_first_turn(alice, upstream)
    action, fields = page.button_action("Try again")
    alice.press(page, "Send", content="second")
    call = upstream.next_call().start_stream()

    answer = alice.post(action, fields, **HTMX_HEADERS)

    assert answer.status == 409
    assert answer.response.headers["HX-Retarget"] == "#notices"
    assert answer.html.select("#composer, article") == []
    call.complete("ok")


def test_all_retries_of_a_message_use_one_idempotency_key(alice: Person, upstream: Upstream):
    page = alice.start_conversation("hello")
    first_id = page.turns[0]["data-turn"]
    keys = []
    for _ in range(3):
        call = upstream.next_call()
        keys.append(call.headers["Idempotency-Key"])
        call.respond(500, {})
        page = alice.press(wait_for_reply(alice, page), "Try again")
    upstream.next_call().start_stream().complete("Hi")
    page = alice.press(wait_for_reply(alice, page), "Send", content="hello")
    other = upstream.next_call()
    other.start_stream().complete("Hi again")
    wait_for_reply(alice, page)

    assert set(keys) == {f'"{first_id}"'}
    assert other.headers["Idempotency-Key"] not in keys


def test_retry_and_send_from_one_page_create_two_turns(alice: Person, upstream: Upstream):
    page = fail_first_turn(alice, upstream)
    retried_page = alice.press(page, "Try again")
    upstream.next_call().start_stream().complete("Go on?")
    wait_for_reply(alice, retried_page)

    page = alice.press(page, "Send", content="first")
    upstream.next_call().start_stream().complete("Going on")

    assert wait_for_reply(alice, page).reply_states == ["complete", "complete"]


@pytest.mark.parametrize("again", ["a\0b", "x" * 5000, "none"], ids=["NUL", "long", "unknown"])
def test_retry_of_an_unknown_turn_is_refused(alice: Person, upstream: Upstream, again: str):
    action, fields = fail_first_turn(alice, upstream).button_action("Try again")
    page = alice.post(action, fields | {"replaces": again})

    assert page.status == 409
    assert "has gone on" in page.text
    assert page.reply_states == ["failed"]


def test_complete_reply_can_be_tried_again_after_a_lost_response(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    action, fields = page.button_action("Try again")
    answers = [alice.post(action, fields, **HTMX_HEADERS) for _ in range(2)]
    upstream.next_call().start_stream().complete("Hi again")
    again = wait_for_reply(alice, alice.get(page.path))

    assert {answer.turns[0]["data-turn"] for answer in answers} == {again.turns[0]["data-turn"]}
    assert again.button_action("Try again")[1] != fields
    assert upstream.sent_messages() == ["Hello", "Hello"]
