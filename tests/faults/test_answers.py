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
from tests.support.person import Person
from tests.support.upstream import Call, Upstream

UNEXPECTED = "The service gave an unexpected answer."


@pytest.mark.fault("F54")
@pytest.mark.parametrize("kind", ["text/html", "text/plain"])
def test_a_page_where_a_stream_should_be_is_unexpected(hear: Hear, kind: str):
    seen = hear(says(200, HTML, content_type=kind))

    promised(seen, seen.page.states[0], UNEXPECTED)
    assert seen.page.states[0] in ("failed", "interrupted")
    assert "theirs" not in seen.page.response.text


@pytest.mark.fault("F54")
def test_a_page_where_a_stream_should_be_is_an_interruption(hear: Hear):
    assert hear(says_html(200)).page.states == ["interrupted"]


@pytest.mark.fault("F55")
@pytest.mark.parametrize("kind", ["application/json", "application/json; charset=utf-8"])
def test_a_reply_in_one_piece_is_a_whole_reply(hear: Hear, kind: str):
    body = {"data": {"content": "All at once"}}

    promised(hear(says(200, body, content_type=kind)), "complete", kept="All at once")


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


@pytest.mark.parametrize(
    "act",
    [
        pytest.param(says_nothing(204), marks=pytest.mark.fault("F56")),
        pytest.param(says_nothing(202), marks=pytest.mark.fault("F56")),
        pytest.param(says(202, b""), marks=pytest.mark.fault("F56")),
        pytest.param(
            streams(b'data: {"type":"complete"}\n\n'), marks=pytest.mark.fault("F13", "F56")
        ),
    ],
    ids=["204", "202", "202 as JSON", "an empty stream"],
)
def test_an_empty_reply_is_told(hear: Hear, act: Act):
    promised(hear(act), "failed", "The reply was empty.")


@pytest.mark.fault("F57")
@pytest.mark.parametrize("status", [301, 303, 307])
def test_a_redirect_is_not_followed(hear: Hear, upstream: Upstream, status: int):
    elsewhere = f"{upstream.url}/elsewhere"

    promised(hear(says(status, {}, location=elsewhere)), "failed", UNEXPECTED)
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
