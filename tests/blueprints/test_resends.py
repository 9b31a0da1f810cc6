"""Try again: a new turn with the message of an earlier one."""

import pytest

from core.db.database import DatabaseUnavailable
from tests.support.cases import failures
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream
from web.container import Portal


def test_retry_creates_a_new_turn_with_the_same_message(alice: Person, upstream: Upstream):
    page = alice.start_conversation("again, please")
    upstream.next_call().respond(500, {"error": "boom"})
    page = wait_for_reply(alice, page)

    page = alice.press(page, "Try again")
    upstream.next_call().start_stream().complete("here you are")
    page = wait_for_reply(alice, page)

    assert page.reply_states == ["failed", "complete"]
    assert upstream.sent_messages() == ["again, please", "again, please"]


def test_retry_submitted_twice_creates_one_turn(alice: Person, upstream: Upstream):
    page = alice.start_conversation("again")
    upstream.next_call().respond(500, {"error": "boom"})
    page = wait_for_reply(alice, page)

    action, fields = page.button_action("Try again")
    alice.post(action, fields)
    upstream.next_call().start_stream().complete("ok")
    page = wait_for_reply(alice, alice.post(action, fields))

    assert page.reply_states == ["failed", "complete"]


def test_retry_during_another_reply_shows_only_a_notice(alice: Person, upstream: Upstream):
    page = alice.start_conversation("first")
    upstream.next_call().respond(500, {"error": "boom"})
    page = wait_for_reply(alice, page)
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

    assert set(keys) == {f'"{page.turns[0]["data-turn"]}"'}
    assert other.headers["Idempotency-Key"] not in keys


def test_retry_and_send_from_one_page_create_two_turns(alice: Person, upstream: Upstream):
    page = alice.start_conversation("yes")
    upstream.next_call().respond(500, {})
    page = wait_for_reply(alice, page)
    retried_page = alice.press(page, "Try again")
    upstream.next_call().start_stream().complete("Go on?")
    wait_for_reply(alice, retried_page)

    page = alice.press(page, "Send", content="yes")
    upstream.next_call().start_stream().complete("Going on")

    assert wait_for_reply(alice, page).reply_states == ["failed", "complete", "complete"]


def test_retry_of_an_unknown_turn_sends_a_new_message(alice: Person, upstream: Upstream):
    def check(again: str) -> None:
        page = alice.start_conversation("one")
        upstream.next_call().respond(500, {})
        page = wait_for_reply(alice, page)
        action, fields = page.button_action("Try again")
        page = alice.post(action, fields | {"resend": again})
        upstream.next_call().start_stream().complete("Hello")
        assert wait_for_reply(alice, page).reply_states == ["failed", "complete"]

    assert failures(check, {again: again for again in ("a\0b", "x" * 5000, "none")}) == {}


def test_retry_during_a_database_outage_creates_no_turn(
    alice: Person, upstream: Upstream, portal: Portal, monkeypatch: pytest.MonkeyPatch
):
    page = alice.start_conversation("one")
    upstream.next_call().respond(500, {})
    page = wait_for_reply(alice, page)

    def away(*_: object, **_options: object) -> None:
        raise DatabaseUnavailable

    with monkeypatch.context() as broken:
        broken.setattr(type(portal.database), "write", away)
        assert alice.press(page, "Try again").status == 503
    assert alice.get(page.path).reply_states == ["failed"]


def test_resend_form_gets_a_new_idempotency_key_after_a_lost_response(
    alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    form = page.html.select_one("#resend-form")
    fields = {str(each["name"]): str(each["value"]) for each in form.select("input")}
    fields["turn"] = str(page.turns[0]["data-turn"])
    keys = set()
    for _ in range(2):  # the first response is lost
        answer = alice.post(str(form["action"]), fields, **HTMX_HEADERS)
        keys.add(answer.html.select_one("#resend-form [name=idempotency_key]")["value"])
    upstream.next_call().start_stream().complete("Hi")

    assert fields["idempotency_key"] not in keys
    assert len(keys) == 2
