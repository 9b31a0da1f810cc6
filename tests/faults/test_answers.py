"""Responses that are not a stream: some are a whole reply, the others are unexpected."""

from __future__ import annotations

import pytest

from tests.faults.conftest import (
    ERROR_PAGE_HTML,
    MESSAGE,
    NOT_SENT,
    SendMessage,
    UpstreamAction,
    assert_outcome,
    observe_reply,
    respond_with,
    respond_with_html,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Call, Upstream

UNEXPECTED = "The twin service sent an unexpected response."


def test_whole_reply_is_requested_when_the_service_cannot_stream(
    send_message: SendMessage, upstream: Upstream
):
    seen = send_message(
        respond_with(405, {"error": "no streams here"}),
        respond_with(201, {"data": {"content": "Hello"}}),
    )

    assert_outcome(seen, "complete", reply="Hello", sent_messages=[MESSAGE] * 2)
    assert upstream.calls[-1].path == "/api/v1/conversations/up-1/messages"


def respond_without_body(status: int) -> UpstreamAction:
    """Return an action that responds without a body and without a content type."""

    def act(call: Call) -> None:
        call.send_head(status)
        call.close()

    return act


WHOLE = {"data": {"content": "All at once"}}
EMPTY = "The reply was empty."
# Cases: the response, the expected state, and the text of the reply or of the note.
ANSWERS = {
    "HTML": (respond_with_html(200), "interrupted", UNEXPECTED),
    "text": (
        respond_with(200, ERROR_PAGE_HTML, content_type="text/plain"),
        "interrupted",
        UNEXPECTED,
    ),
    "JSON": (respond_with(200, WHOLE), "complete", "All at once"),
    "JSON with a charset": (
        respond_with(200, WHOLE, content_type="application/json; charset=utf-8"),
        "complete",
        "All at once",
    ),
    "204": (respond_without_body(204), "failed", EMPTY),
    "202": (respond_without_body(202), "failed", EMPTY),
    "202 as JSON": (respond_with(202, b""), "failed", EMPTY),
    "an empty stream": (respond_with_stream(b'data: {"type":"complete"}\n\n'), "failed", EMPTY),
    **{
        f"redirect {status}": (
            respond_with(status, {}, location="/elsewhere"),
            "failed",
            UNEXPECTED,
        )
        for status in (301, 303, 307)
    },
}


@pytest.mark.fault("F54", "F56", "F57")
def test_response_that_is_not_a_stream_is_a_whole_reply_or_an_error(
    send_message: SendMessage, upstream: Upstream
):
    def check(case: tuple[UpstreamAction, str, str]) -> None:
        act, state, text = case
        seen = send_message(act)
        if state == "complete":
            assert_outcome(seen, state, reply=text)
        else:
            assert_outcome(seen, state, text)
        assert "theirs" not in seen.page.response.text

    assert failures(check, ANSWERS) == {}
    assert not [call for call in upstream.calls if "elsewhere" in call.path]


@pytest.mark.fault("F57")
def test_redirect_of_a_list_or_new_conversation_is_not_followed(alice: Person, upstream: Upstream):
    form = alice.get("/twins/ada")
    away = respond_with(307, {}, location=f"{upstream.url}/elsewhere")
    upstream.answers = {"/api/v1/twins": away, "/api/v1/conversations": away}

    seen = observe_reply(alice, upstream, alice.press(form, "Send", content=MESSAGE))

    assert_outcome(seen, "failed", UNEXPECTED, NOT_SENT, sent_messages=[])
    assert not [call for call in upstream.calls if "elsewhere" in call.path]
