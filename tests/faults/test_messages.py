"""Messages are sent as typed and only once, and replies are shown to nobody else."""

from __future__ import annotations

import logging
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.faults.conftest import SendMessage, assert_outcome, message_text
from tests.support.cases import failures
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Call, Upstream


@pytest.mark.fault("F62")
def test_double_click_sends_one_message(alice: Person, upstream: Upstream):
    action, fields = complete_first_turn(alice, upstream, "first", "Hello").button_action("Send")
    fields |= {"content": "once"}

    with ThreadPoolExecutor(2) as pool:
        presses = [pool.submit(alice.post, action, fields) for _ in range(2)]
        pages = [press.result(10) for press in presses]
    upstream.next_call().start_stream().complete("ok")

    assert [page.status for page in pages] == [200, 200]
    assert wait_for_reply(alice, pages[0]).reply_states == ["complete", "complete"]
    assert upstream.sent_messages() == ["first", "once"]


@pytest.mark.fault("F62")
def test_enter_pressed_twice_creates_one_message_and_one_turn(alice: Person, upstream: Upstream):
    page = complete_first_turn(alice, upstream, "first", "Hello")
    action, fields = page.button_action("Send")
    fields |= {"content": "once"}

    first, second = (alice.post(action, fields, **HTMX_HEADERS) for _ in range(2))
    upstream.next_call().start_stream().complete("ok")

    assert (first.status, len(first.turns)) == (200, 1)
    assert second.status == 200
    assert [turn["data-turn"] for turn in second.turns] == [first.turns[0]["data-turn"]]
    assert second.html.select_one("#composer textarea").get_text() == ""
    assert alice.get(page.path).reply_states[:-1] == ["complete"]
    assert upstream.sent_messages() == ["first", "once"]


@pytest.mark.fault("F62")
def test_form_submitted_again_after_the_reply_returns_the_same_turn(
    alice: Person, upstream: Upstream
):
    action, fields = alice.get("/twins/ada").button_action("Send")
    fields |= {"content": "once"}
    page = alice.post(action, fields)
    upstream.next_call().start_stream().complete("ok")
    page = wait_for_reply(alice, page)

    again = alice.post(action, fields)

    assert (again.path, again.reply_states) == (page.path, ["complete"])
    assert upstream.sent_messages() == ["once"]


# Cases: the typed text, and the text that is sent and shown.
TYPED = {
    words: words
    for words in (
        "  a\tb  \n\n c  ",
        "\n\na",
        "👩‍👩‍👧 🇩🇪 🙂",
        "مرحبا hello שלום",
        r"a\0b",
        "/help me",
        "<script>alert(1)</script> &amp; {{ 7 * 7 }} **bold**",
        "x" * 32_000,
    )
} | {"one\r\ntwo": "one\ntwo"}


def test_message_is_sent_and_shown_as_typed(send_message: SendMessage):
    def check(words: str) -> None:
        seen = send_message(lambda call: call.respond(500), words=words)
        assert_outcome(seen, "failed", "problem", content=TYPED[words])

    assert failures(check, {words[:100]: words for words in TYPED}) == {}


TOO_LONG = "of 32,000 characters) and wasn't sent"
UNSENDABLE = {
    "nothing": ("", 422, "Your message is empty"),
    "spaces": ("   ", 422, "Your message is empty"),
    "lines": (" \r\n\t", 422, "Your message is empty"),
    "Unicode spaces": ("\u2003\u3000\u00a0", 422, "Your message is empty"),
    "too long": ("x" * 100_000, 413, f"100,000 {TOO_LONG}"),
    "NUL": ("a\0b", 422, ""),
}


def test_invalid_message_stays_in_the_composer(alice: Person, upstream: Upstream):
    twin = alice.get("/twins/ada")
    conversation = complete_first_turn(alice, upstream, "first", "Hello")

    def check(case: tuple[str, int, str]) -> None:
        words, status, sentence = case
        for form, states in ((twin, []), (conversation, ["complete"])):
            page = alice.press(form, "Send", content=words)
            assert (page.status, page.reply_states) == (status, states)
            assert sentence in page.text
            note = page.html.select_one("#composer .note").get_text()
            assert "wasn't sent" in note or not words.strip()
            box = page.html.select_one("#composer textarea").get_text()
            assert box.strip() == words.strip()

    assert failures(check, UNSENDABLE) == {}
    assert upstream.sent_messages() == ["first"]


def answers_for_another(call: Call) -> None:
    message = {"content": "A reply to somebody else", "conversationId": "up-1"}
    call.start_stream().send_event(type="complete", message=message)
    call.close()


def test_reply_naming_another_conversation_is_shown_where_requested_and_logged(
    send_message: SendMessage, bob: Person, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    other = complete_first_turn(bob, upstream, "first", "Hello Bob")

    assert_outcome(send_message(answers_for_another), "complete", reply="A reply to somebody else")

    other = bob.get(other.path)
    assert other.reply_states == ["complete"]
    assert "Hello Bob" in other.text
    assert "somebody else" not in other.text
    [warning] = [record for record in caplog.records if record.name == "chat.reply_worker"]
    assert warning.levelno == logging.WARNING
    assert "conversation" in warning.getMessage()


@pytest.mark.fault("F62")
def test_retry_sends_the_same_text(send_message: SendMessage, alice: Person, upstream: Upstream):
    words = " a\n\n/b 🙂 "
    page = send_message(lambda call: call.respond(500), words=words).page

    page = alice.press(page, "Try again")
    upstream.next_call().start_stream().complete("ok")

    page = wait_for_reply(alice, page)
    assert [message_text(turn) for turn in page.turns] == [words, words]
    assert upstream.sent_messages() == [words, words]
