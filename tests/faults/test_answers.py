"""Answers that are no stream: some are a whole reply, and the others are unexpected."""

from __future__ import annotations

import pytest

from tests.faults.conftest import (
    HTML,
    NOT_SENT,
    WORDS,
    Act,
    Hear,
    look,
    promised,
    says,
    says_html,
    streams,
)
from tests.support.cases import failures
from tests.support.person import Person
from tests.support.upstream import Call, Upstream

UNEXPECTED = "The service gave an unexpected answer."


@pytest.mark.fault("F55")
def test_a_service_without_a_stream_is_asked_for_the_whole_reply(hear: Hear, upstream: Upstream):
    seen = hear(says(405, {"error": "no streams here"}), says(201, {"data": {"content": "Hello"}}))

    promised(seen, "complete", kept="Hello", sent=[WORDS] * 2)
    assert upstream.calls[-1].path == "/api/v1/conversations/up-1/messages"


def says_nothing(status: int) -> Act:
    """Return a service that answers without a body, and without saying what it would be."""

    def act(call: Call) -> None:
        call.send_head(status)
        call.close()

    return act


WHOLE = {"data": {"content": "All at once"}}
EMPTY = "The reply was empty."
# The answer, the state, and the text or the sentence.
ANSWERS = {
    "HTML": (says_html(200), "interrupted", UNEXPECTED),
    "text": (says(200, HTML, content_type="text/plain"), "interrupted", UNEXPECTED),
    "JSON": (says(200, WHOLE), "complete", "All at once"),
    "JSON with a charset": (
        says(200, WHOLE, content_type="application/json; charset=utf-8"),
        "complete",
        "All at once",
    ),
    "204": (says_nothing(204), "failed", EMPTY),
    "202": (says_nothing(202), "failed", EMPTY),
    "202 as JSON": (says(202, b""), "failed", EMPTY),
    "an empty stream": (streams(b'data: {"type":"complete"}\n\n'), "failed", EMPTY),
    **{
        f"redirect {status}": (says(status, {}, location="/elsewhere"), "failed", UNEXPECTED)
        for status in (301, 303, 307)
    },
}


@pytest.mark.fault("F13", "F54", "F55", "F56", "F57")
def test_answer_that_is_no_stream_is_a_whole_reply_or_unexpected(hear: Hear, upstream: Upstream):
    def check(case: tuple[Act, str, str]) -> None:
        act, state, text = case
        seen = hear(act)
        if state == "complete":
            promised(seen, state, kept=text)
        else:
            promised(seen, state, text)
        assert "theirs" not in seen.page.response.text

    assert failures(check, ANSWERS) == {}
    assert not [call for call in upstream.calls if "elsewhere" in call.path]


@pytest.mark.fault("F57")
def test_a_redirect_of_a_list_or_a_new_conversation_is_not_followed(
    alice: Person, upstream: Upstream
):
    form = alice.get("/twins/ada")
    away = says(307, {}, location=f"{upstream.url}/elsewhere")
    upstream.answers = {"/api/v1/twins": away, "/api/v1/conversations": away}

    seen = look(alice, upstream, alice.press(form, "Send", content=WORDS))

    promised(seen, "failed", UNEXPECTED, NOT_SENT, sent=[])
    assert not [call for call in upstream.calls if "elsewhere" in call.path]
