"""Messages are sent and shown as typed and only once; those that cannot be sent are kept."""

from __future__ import annotations

import re

import pytest

from tests.faults.conftest import (
    COMPLETE_EVENT,
    SendMessage,
    assert_outcome,
    delta_bytes,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.person import Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Upstream


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


TYPED = [
    "  a\tb  \n\n c  ",
    "\n\na",
    "👩‍👩‍👧 🇩🇪 🙂",
    "مرحبا hello שלום",
    "\u202eevil\u202c \u2067x\u2069",
    "a\u200b\u200d\ufeffb",
    "a" + "".join(chr(0xE0000 + ord(letter)) for letter in "hidden") + "b",
    "Z" + "\u0315\u0361\u0489" * 300,
    r"a\0b",
    "/help me",
    "<script>alert(1)</script> &amp; {{ 7 * 7 }} **bold**",
    "x" * 32_000,
]


def test_message_is_sent_and_shown_as_typed(send_message: SendMessage):
    def check(words: str) -> None:
        seen = send_message(lambda call: call.respond(500), words=words)
        assert_outcome(seen, "failed", "problem", content=words.replace("\r\n", "\n"))

    assert failures(check, {words[:100]: words for words in [*TYPED, "one\r\ntwo"]}) == {}


def test_messages_and_replies_are_isolated_from_the_text_around_them(
    send_message: SendMessage, alice: Person
):
    words = "\u202eevil \u2067x"
    reply = delta_bytes(f"{words} `a\u202eb`")
    seen = send_message(respond_with_stream(reply, COMPLETE_EVENT), words=words)

    assert_outcome(seen, "complete", content=words, reply=f"{words} a[U+202E]b")
    for turn in (seen.live_turn, seen.turn):
        assert turn.select_one(".turn__reply[dir=auto]")
        assert turn.select_one(".turn__content [dir=auto]")
    css = alice.get(seen.page.html.select_one("link[rel=stylesheet]")["href"]).response.text
    for part in (".turn__content", ".turn__reply"):
        assert re.search(rf"{re.escape(part)} ?{{[^{{}}]*unicode-bidi: ?isolate", css)


UNSENDABLE = {
    "spaces and lines": (" \r\n\t\u2003\u3000\u00a0", 422, "Your message is empty"),
    "ten times too long": ("x" * 320_000, 413, "(320,000 of 32,000 characters) and wasn't sent"),
    "too long": ("x" * 32_001, 413, "(32,001 of 32,000 characters) and wasn't sent"),
    "NUL": ("a\0b", 422, "contains a NUL character and wasn't sent"),
}


@pytest.mark.fault("F48")
@pytest.mark.limit("L1")
def test_invalid_message_stays_in_the_composer(alice: Person, upstream: Upstream):
    twin = alice.get("/twins/ada")
    conversation = complete_first_turn(alice, upstream, "first", "Hello")

    def check(case: tuple[str, int, str]) -> None:
        words, status, sentence = case
        for form, states in ((twin, []), (conversation, ["complete"])):
            page = alice.press(form, "Send", content=words)
            assert (page.status, page.reply_states) == (status, states)
            assert sentence in page.html.select_one("#composer .note").get_text()
            box = page.html.select_one("#composer textarea")
            assert box.get_text().strip() == words.strip()
            assert box["data-limit"] == "32000"
            assert page.html.select_one("#composer .counter")

    assert failures(check, UNSENDABLE) == {}
    assert upstream.sent_messages() == ["first"]
