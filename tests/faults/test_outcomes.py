"""The end of a reply whatever fails: its state, what the person reads, and the next step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.conftest import (
    COMPLETE_EVENT,
    MESSAGE,
    NOT_SENT,
    PARTIAL_DELTA,
    UPSTREAM_MARKUP,
    SendMessage,
    UpstreamAction,
    assert_outcome,
    delta_bytes,
    event_bytes,
    message_text,
    observe_reply,
    respond_with,
    respond_with_html,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.clock import AdjustableClock
from tests.support.html import text_in
from tests.support.person import Page, Person, complete_first_turn
from tests.support.upstream import UPSTREAM_KEY, Call, Upstream
from twindow.web.container import Portal

ADMINISTRATOR = "Please contact your administrator."
NOT_ACCEPTED = "The twin service didn't accept the message"
UNEXPECTED = f"The twin service sent an unexpected response. {ADMINISTRATOR}"
AGAIN = "The twin may have received your message anyway. Send it again?"
REPORTED = "The twin service reported an error"

# Cases: the response, and the note.
REFUSALS = {
    "400": (respond_with(400, {"error": "rude"}), f"{NOT_ACCEPTED}: rude."),
    "400 with markup": (respond_with(400, {"error": UPSTREAM_MARKUP}), f"{NOT_ACCEPTED}."),
    "401": (
        respond_with(401, {"error": "Please sign in"}),
        f"We can't connect to the twin service (access denied). {ADMINISTRATOR}",
    ),
    "403": (
        respond_with(403, {"error": "full_access required"}),
        f"You can't send messages to this twin (access denied). {ADMINISTRATOR}",
    ),
}


@pytest.mark.fault("F43", "F44", "F45")
def test_refused_message_is_not_sent_and_can_be_sent_again(send_message: SendMessage):
    def check(case: tuple[UpstreamAction, str]) -> None:
        act, sentence = case
        seen = send_message(act)
        assert_outcome(seen, "failed", f"{sentence} {NOT_SENT}")
        assert "sign in" not in seen.page.text.lower()

    assert failures(check, REFUSALS) == {}


TOO_MANY_TOKENS = {"type": "error", "error": "Too many tokens", "code": "too_long"}
TOO_LONG = {
    "422": (respond_with(422, {"error": "rude"}), f"{NOT_ACCEPTED}: rude. {NOT_SENT}"),
    "413": (respond_with(413, {"error": "too large"}), f"{NOT_ACCEPTED}: too large. {NOT_SENT}"),
    "too long for the model": (
        respond_with_stream(event_bytes(TOO_MANY_TOKENS)),
        "Your message is too long for this model. Try a shorter one.",
    ),
}


@pytest.mark.fault("F43", "F48")
def test_message_that_the_service_cannot_take_can_be_edited(
    send_message: SendMessage, alice: Person
):
    def check(case: tuple[UpstreamAction, str]) -> None:
        act, sentence = case
        seen = send_message(act)
        assert_outcome(seen, "failed", sentence, button_label="Edit")
        assert "may have received" not in seen.note
        assert text_offered_for_edit(seen.page, alice) == MESSAGE

    assert failures(check, TOO_LONG) == {}


def text_offered_for_edit(page: Page, person: Person) -> str:
    """Load the page that the note's Edit button requests, and return the text of the composer."""
    way = page.html.select_one(".note button[data-edit-message]")
    edited = person.get(f"{page.path}?{way['name']}={way['value']}")
    return str(edited.html.select_one("textarea[name=content]").get_text())


def hang_up(call: Call) -> None:
    call.close()


def respond_without_body(call: Call) -> None:
    call.send_head(204)
    call.close()


def report(error: Any) -> UpstreamAction:
    """Return an action that streams a piece of text and an error."""
    return respond_with_stream(PARTIAL_DELTA, event_bytes({"type": "error", "error": error}))


# Cases: the response, the state, the note, and the text of the reply.
PERHAPS_RECEIVED = {
    "the stream ends": (
        respond_with_stream(PARTIAL_DELTA),
        "interrupted",
        "The reply was interrupted. The text so far has been saved.",
        "Half a rep",
    ),
    "the stream ends at once": (
        respond_with_stream(b""),
        "interrupted",
        "The reply was interrupted.",
        "",
    ),
    "an error": (report(UPSTREAM_MARKUP), "failed", f"{REPORTED}: {UPSTREAM_MARKUP}", "Half a rep"),
    "an error without text": (report(3), "failed", f"{REPORTED} without details.", "Half a rep"),
    "no reply": (respond_without_body, "failed", "The reply was empty.", ""),
    "no text": (respond_with_stream(COMPLETE_EVENT), "failed", "The reply was empty.", ""),
    "no response": (
        hang_up,
        "failed",
        "The twin service closed the connection without responding.",
        "",
    ),
    "a page": (respond_with_html(200), "interrupted", UNEXPECTED, ""),
    "a redirect": (respond_with(307, {}, location="/elsewhere"), "failed", UNEXPECTED, ""),
    "500": (respond_with_html(500), "failed", "The twin service has a problem right now.", ""),
    "502": (respond_with(502, b"{"), "failed", "The twin service has a problem right now.", ""),
}


@pytest.mark.fault("R0", "F1", "F19", "F52", "F54", "F56", "F57")
def test_message_that_may_have_arrived_asks_before_it_is_sent_again(
    send_message: SendMessage, upstream: Upstream, caplog: pytest.LogCaptureFixture
):
    def check(case: tuple[UpstreamAction, str, str, str]) -> None:
        act, state, sentence, reply = case
        seen = send_message(act)
        assert_outcome(seen, state, sentence, AGAIN, reply=reply)
        assert seen.turn.select_one(".note button")["title"] == AGAIN
        assert str(seen.turn["data-turn"])[:8] in caplog.text

    assert failures(check, PERHAPS_RECEIVED) == {}
    assert not [call for call in upstream.calls if "elsewhere" in call.path]


@pytest.mark.fault("F32")
def test_reply_that_is_too_long_ends_at_the_limit(
    send_message: SendMessage, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twindow.twinapi.stream.MAX_REPLY_CHARACTERS", 1_234)

    seen = send_message(respond_with_stream(delta_bytes("x" * 2_000), COMPLETE_EVENT))

    sentence = "The reply was too long and ends here. The first 1,234 characters have been saved."
    assert_outcome(seen, "interrupted", sentence, reply="x" * 1_234)


def respond_slowly(call: Call) -> None:
    call.send_bytes(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    call.send_until_disconnect(b"x")


def send_heartbeats(call: Call) -> None:
    call.start_stream().delta("Half a rep")
    call.send_until_disconnect()


@pytest.mark.fault("F38", "F40")
@pytest.mark.settings(api_timeout=1)
def test_silent_service_ends_the_reply_after_a_while(send_message: SendMessage):
    slow, alive = send_message(respond_slowly), send_message(send_heartbeats)

    assert_outcome(slow, "failed", "The twin service didn't respond in time.", AGAIN)
    assert_outcome(alive, "interrupted", "The reply timed out.", AGAIN, reply="Half a rep")


@pytest.mark.fault("F40")
@pytest.mark.settings(api_reply_timeout=1)
def test_reply_that_never_ends_times_out(send_message: SendMessage):
    sentence = "The reply took too long and was stopped."

    assert_outcome(send_message(send_heartbeats), "interrupted", sentence, reply="Half a rep")


@pytest.mark.fault("F41")
def test_message_to_an_unreachable_service_is_not_sent(alice: Person, upstream: Upstream):
    form = alice.get("/twins/ada")
    upstream.stop()

    seen = observe_reply(alice, upstream, alice.press(form, "Send", content=MESSAGE))

    sentence = f"The twin service can't be reached. {NOT_SENT}"
    assert_outcome(seen, "failed", sentence, sent_messages=[])


@pytest.mark.fault("R0")
def test_message_is_stored_before_it_is_sent_and_stays_if_it_cannot_be(
    alice: Person, upstream: Upstream
):
    upstream.unanswered_paths.add("/api/v1/conversations")
    page = alice.start_conversation(MESSAGE)
    call = upstream.next_call()
    assert message_text(alice.get(page.path).turns[0]) == MESSAGE

    call.respond(201, {"data": {}})
    seen = observe_reply(alice, upstream, page)

    assert_outcome(seen, "failed", f"{UNEXPECTED} {NOT_SENT}", sent_messages=[])


@pytest.mark.fault("F47")
def test_message_to_a_busy_conversation_is_sent_again_a_few_times(
    send_message: SendMessage, portal: Portal
):
    portal.reply_worker.conflict_retry_delays = (0.0, 0.0)
    busy = respond_with(409, {"error": "busy"})
    sentence = (
        "Another reply is in progress in this conversation. Please wait a moment and try again."
    )

    seen = send_message(busy, busy, respond_with_stream(PARTIAL_DELTA, COMPLETE_EVENT))
    assert_outcome(seen, "complete", reply="Half a rep", sent_messages=[MESSAGE] * 3)
    seen = send_message(busy, busy, busy)
    assert_outcome(seen, "failed", f"{sentence} {NOT_SENT}", sent_messages=[MESSAGE] * 3)


@pytest.mark.fault("F46")
def test_conversation_deleted_by_the_service_is_readable_and_can_restart(
    send_message: SendMessage, alice: Person, upstream: Upstream, clock: AdjustableClock
):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    seen = send_message(respond_with(404, {"error": "gone"}), page=page)
    restart = "Start a new conversation with this text"

    sentence = "no longer exists in the twin service. Your messages are still saved here."
    messages = ["Hello", MESSAGE]
    assert_outcome(seen, "failed", sentence, button_label=restart, sent_messages=messages)
    assert text_in(seen.page.turns[0], ".turn__reply") == "Hi"

    send_message(respond_with(429, {}, retry_after="120"))
    refused = alice.press(seen.page, restart)
    assert refused.status == 429
    assert refused.html.select_one("textarea[name=content]").get_text() == MESSAGE
    clock.advance(121)
    fresh = alice.press(seen.page, restart)
    again = observe_reply(alice, upstream, fresh, respond_with_stream(PARTIAL_DELTA))
    assert fresh.path != page.path
    assert message_text(again.turn) == MESSAGE


@pytest.mark.fault("F46")
def test_missing_twin_is_named_and_no_new_conversation_is_offered(
    send_message: SendMessage, alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    upstream.twins = upstream.twins[1:]
    seen = send_message(respond_with(404, {"error": "gone"}), page=page)

    assert "This twin no longer exists in the twin service." in seen.note
    assert not seen.turn.select(".note button")
    assert "Ada is no longer available" in text_in(seen.page.html, "#composer .note")
    assert "Ada" not in alice.get("/").text


@pytest.mark.fault("F19", "F43", "F44", "F45")
def test_log_has_the_reasons_of_the_service_without_messages_and_keys(
    send_message: SendMessage, caplog: pytest.LogCaptureFixture
):
    error = f"no scope for {MESSAGE} {UPSTREAM_KEY}"
    for status in (401, 403, 422, 500):
        send_message(respond_with(status, {"error": error}))
    send_message(report(error))

    assert sum("no scope for [message] •••" in line for line in caplog.messages) == 5
    assert UPSTREAM_KEY not in caplog.text
    assert MESSAGE not in caplog.text
    [alert] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert alert.endswith("Check TWINDOW_API_KEY.")


@pytest.mark.fault("F6")
def test_events_that_cannot_be_read_are_skipped_and_counted_in_the_log(
    send_message: SendMessage, caplog: pytest.LogCaptureFixture
):
    junk = b'data: {\n\ndata: {"type":"new","content":"theirs"}\n\ndata: []\n\n'

    seen = send_message(respond_with_stream(junk, PARTIAL_DELTA, COMPLETE_EVENT))
    readable = send_message(respond_with_stream(PARTIAL_DELTA, COMPLETE_EVENT))

    assert_outcome(seen, "complete", reply="Half a rep")
    assert f"turn {seen.turn['data-turn']}: 3 events could not be read" in caplog.messages
    assert str(readable.turn["data-turn"]) not in caplog.text


def test_reply_naming_another_conversation_is_shown_and_logged(
    send_message: SendMessage, caplog: pytest.LogCaptureFixture
):
    message = {"content": "For somebody else", "conversationId": "up-7"}

    seen = send_message(respond_with_stream(event_bytes({"type": "complete", "message": message})))

    assert_outcome(seen, "complete", reply="For somebody else")
    assert "names another conversation" in caplog.text
