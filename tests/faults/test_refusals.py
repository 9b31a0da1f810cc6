"""A service that rejects a request or fails: the note is one sentence with a next step."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.conftest import (
    MESSAGE,
    NOT_SENT,
    UPSTREAM_MARKUP,
    SendMessage,
    UpstreamAction,
    assert_outcome,
    event_bytes,
    observe_reply,
    respond_with,
    respond_with_html,
    respond_with_stream,
    text_in,
)
from tests.support.cases import failures
from tests.support.person import Page, Person
from tests.support.upstream import UPSTREAM_KEY, Upstream

NOT_ACCEPTED = "The twin service didn't accept the message"
PROBLEM = "The twin service has a problem right now."


REASONS = {
    "400": (400, {"error": "content is rude"}, ": content is rude"),
    "422": (422, {"error": "content is rude"}, ": content is rude"),
    "message": (400, {"message": "content is rude"}, ": content is rude"),
    "detail": (422, {"detail": "content is rude"}, ": content is rude"),
    "deep": (422, {"error": {"message": "content is rude", "code": 3}}, ": content is rude"),
    "errors": (422, {"errors": ["content is rude"]}, ": content is rude"),
    "errors with fields": (
        422,
        {"errors": [{"field": "content", "message": "content is rude"}]},
        ": content is rude",
    ),
    "detail with msg": (
        422,
        {"detail": [{"loc": ["body", "content"], "msg": "is rude", "type": "rude"}]},
        ": content: is rude",
    ),
    "our key": (422, {"error": f"bad key {UPSTREAM_KEY}!"}, ": bad key •••!"),
    "markup": (400, {"error": f"content is {UPSTREAM_MARKUP}"}, f". {NOT_SENT}"),
    "a number": (400, {"error": 3}, f". {NOT_SENT}"),
    "no JSON": (422, b"{", f". {NOT_SENT}"),
    "too long a reason": (422, {"error": "long " * 200}, f". {NOT_SENT}"),
}


@pytest.mark.fault("F43")
def test_rejected_message_shows_the_reason_of_the_service(send_message: SendMessage):
    def check(case: tuple[int, Any, str]) -> None:
        status, body, reason = case
        seen = send_message(respond_with(status, body))
        button = "Edit" if status == 422 else "Try again"
        sentence = f"{NOT_ACCEPTED}{reason}"
        assert_outcome(seen, "failed", sentence, NOT_SENT, button_label=button)
        assert UPSTREAM_KEY not in seen.page.response.text

    assert failures(check, REASONS) == {}


@pytest.mark.fault("F19", "F43")
def test_messages_and_keys_in_errors_of_the_service_are_not_logged(
    send_message: SendMessage, caplog: pytest.LogCaptureFixture
):
    error = f"{MESSAGE} {UPSTREAM_KEY}"
    send_message(respond_with(422, {"error": error}))
    send_message(respond_with(500, {"error": error}))
    send_message(respond_with_stream(event_bytes({"type": "error", "error": error})))

    assert len(caplog.records) >= 3
    assert [line for line in caplog.messages if MESSAGE in line or UPSTREAM_KEY in line] == []


@pytest.mark.fault("F44")
def test_rejected_api_key_is_logged_for_the_operator(
    send_message: SendMessage, caplog: pytest.LogCaptureFixture
):
    seen = send_message(respond_with(401, {"error": f"Please sign in: bad key {UPSTREAM_KEY}"}))

    assert_outcome(seen, "failed", "access denied", "contact your administrator")
    assert "sign in" not in seen.page.text.lower()
    [alert] = [record.getMessage() for record in caplog.records if record.levelname == "ERROR"]
    assert "key" in alert
    assert UPSTREAM_KEY not in alert


@pytest.mark.fault("F45")
def test_forbidden_message_affects_only_its_turn(
    send_message: SendMessage, bob: Person, caplog: pytest.LogCaptureFixture
):
    reason = f"Insufficient scope for {UPSTREAM_KEY}: full_access required"
    seen = send_message(respond_with(403, {"error": reason}))

    assert_outcome(seen, "failed", "messages to this twin (access denied)", NOT_SENT)
    assert "forbidden (status 403): Insufficient scope for •••: full_access required" in caplog.text
    assert UPSTREAM_KEY not in caplog.text
    for page in (seen.page, bob.get("/twins/ada"), bob.start_conversation("Hello")):
        assert page.status == 200
        assert page.html.select_one("#composer textarea:not([disabled])")
    assert "ERROR" not in [record.levelname for record in caplog.records]


@pytest.mark.fault("F46")
def test_conversation_deleted_by_the_service_is_readable_and_can_restart(
    send_message: SendMessage, alice: Person, upstream: Upstream
):
    page = send_message(
        respond_with_stream(b'data: {"type":"complete","message":"Hello"}\n\n')
    ).page
    seen = send_message(respond_with(404, {"error": "gone"}), words="do you remember?", page=page)

    assert_outcome(
        seen,
        "failed",
        "no longer exists in the twin service. Your messages are still saved here.",
        content="do you remember?",
        button_label="Start a new conversation with this text",
        sent_messages=[MESSAGE, "do you remember?"],
    )
    assert seen.page.reply_states == ["complete", "failed"]
    assert "Hello" in text_in(seen.page.turns[0], ".turn__reply")

    fresh = alice.press(seen.page, "Start a new conversation with this text")
    again = observe_reply(
        alice, upstream, fresh, lambda call: call.start_stream().complete("Of course")
    )
    assert fresh.path != page.path
    assert again.page.reply_states == ["complete"]


@pytest.mark.fault("F46")
def test_missing_twin_is_named_and_no_new_conversation_is_offered(
    send_message: SendMessage, alice: Person, upstream: Upstream
):
    page = send_message(
        respond_with_stream(b'data: {"type":"complete","message":"Hello"}\n\n')
    ).page
    upstream.twins = upstream.twins[1:]
    seen = send_message(respond_with(404, {"error": "gone"}), words="do you remember?", page=page)

    assert "This twin no longer exists in the twin service." in seen.note
    assert not seen.turn.select(".note button")
    assert "Ada is no longer available" in text_in(seen.page.html, "#composer .note")
    assert "Ada" not in alice.get("/").text


@pytest.mark.fault("F46")
def test_message_stays_in_the_composer_if_a_conversation_restart_is_rate_limited(
    send_message: SendMessage, alice: Person
):
    page = send_message(
        respond_with_stream(b'data: {"type":"complete","message":"Hello"}\n\n')
    ).page
    gone = send_message(
        respond_with(404, {"error": "gone"}), words="do you remember?", page=page
    ).page
    send_message(respond_with(429, {}, retry_after="120"))
    refused = alice.press(gone, "Start a new conversation with this text")

    assert refused.html.select_one("textarea[name=content]").get_text() == "do you remember?"
    assert refused.status == 429


TOO_MANY_TOKENS = b'data: {"type":"error","error":"Too many tokens","code":"too_long"}\n\n'


@pytest.mark.fault("F48")
def test_message_that_is_too_long_for_the_service_can_be_edited(
    send_message: SendMessage, alice: Person
):
    too_large = send_message(respond_with(413, {"error": "too large"}))
    too_long = send_message(respond_with_stream(TOO_MANY_TOKENS))

    assert_outcome(too_large, "failed", "too large", NOT_SENT, button_label="Edit")
    assert_outcome(too_long, "failed", "too long for this model", button_label="Edit")
    assert "may have received" not in text_in(too_long.turn, ".note")
    for seen in (too_large, too_long):
        assert text_offered_for_edit(seen.page, alice) == MESSAGE


def text_offered_for_edit(page: Page, person: Person) -> str:
    """Load the page that the note's Edit button requests, and return the text of the composer."""
    way = page.html.select_one(".note button[data-edit-message]")
    assert way
    box = person.get(f"{page.path}?{way['name']}={way['value']}").html.select_one(
        "textarea[name=content]"
    )
    return box.get_text() if box else ""


@pytest.mark.fault("F48")
def test_message_over_the_length_limit_stays_in_the_composer(alice: Person, upstream: Upstream):
    words = "x" * 32_001
    form = alice.get("/twins/ada")
    assert form.html.select_one("#composer").select_one(".counter, [data-counter], output")

    page = alice.press(form, "Send", content=words)

    box = page.html.select_one("textarea[name=content]")
    assert page.status == 413
    assert "32,001 of 32,000 characters" in page.text
    assert (box.get_text(), box["data-limit"]) == (words, "32000")
    assert upstream.sent_messages() == []


@pytest.mark.fault("F52")
def test_service_error_is_shown_without_its_html_page(send_message: SendMessage):
    def check(act: UpstreamAction) -> None:
        seen = send_message(act)
        assert_outcome(seen, "failed", PROBLEM, "may have received your message")
        assert "theirs" not in seen.page.response.text

    cases = {
        "500": respond_with_html(500),
        "502": respond_with_html(502),
        "503": respond_with_html(503),
        "an empty 500": respond_with(500, b""),
        "a 502 that is no JSON": respond_with(502, b"{"),
    }
    assert failures(check, cases) == {}
