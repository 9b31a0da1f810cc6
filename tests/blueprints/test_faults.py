"""What goes wrong at the service becomes one plain sentence; words are kept, Retry is offered."""

import pytest

from tests.person import Person, ended
from tests.upstream import KEY, Call, Upstream


def cut_off(call: Call) -> None:
    call.begin().delta("Half a rep")
    call.finish()


def reset(call: Call) -> None:
    call.begin().delta("Half a rep")
    call.reset()


def error_event(call: Call) -> None:
    call.begin().send(type="error", error="The model is tired <b>today</b>.")
    call.finish()


FAULTS = {
    "a wrong key": (
        lambda call: call.answer(401, {"error": "bad key"}),
        "failed",
        "The portal's access to the service was refused. Please tell the operator.",
    ),
    "a key that may only read": (
        lambda call: call.answer(403, {"error": "read only"}),
        "failed",
        "The portal's key may only read. Please tell the operator. Your message was not sent.",
    ),
    "a conversation that is gone": (
        lambda call: call.answer(404, {"error": "gone"}),
        "failed",
        "no longer there at the service. What was said here is kept.",
    ),
    "too many requests": (
        lambda call: call.answer(429, {"error": "slow down"}, retry_after="120"),
        "failed",
        "too many requests for now. Your message was not sent. Try again in 2 minutes.",
    ),
    "words that the service refuses": (
        lambda call: call.answer(422, {"detail": [{"msg": "x"}], "error": "content is rude"}),
        "failed",
        "The service did not accept the message: content is rude",
    ),
    "a service that fails with a page of HTML": (
        lambda call: call.answer(500, b"<html><h1>Traceback</h1>", content_type="text/html"),
        "failed",
        "The service has a problem at the moment.",
    ),
    "a redirect": (
        lambda call: call.answer(302, {}, location="http://127.0.0.1:9/"),
        "failed",
        "The service gave an unexpected answer.",
    ),
    "a login page where a stream should be": (
        lambda call: call.answer(200, b"<html>Sign in</html>", content_type="text/html"),
        "failed",
        "The service gave an unexpected answer.",
    ),
    "an error event": (
        error_event,
        "failed",
        "The service reported an error: The model is tired <b>today</b>.",
    ),
    "a stream that just ends": (
        cut_off,
        "interrupted",
        "Half a rep The reply was cut off. What came so far is kept.",
    ),
    "a broken connection": (
        reset,
        "interrupted",
        "Half a rep The reply was cut off. What came so far is kept.",
    ),
    "an answer without a body": (lambda call: call.answer(202, b""), "failed", "reply was empty"),
    "an empty reply": (lambda call: call.begin().complete(), "failed", "The reply was empty."),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_told_in_a_sentence(alice: Person, upstream: Upstream, fault: str):
    act, state, sentence = FAULTS[fault]
    page = alice.begin("my precious words")

    act(upstream.next_call())
    page = ended(alice, page)

    assert page.states == [state]
    assert sentence in page.text
    assert "my precious words" in page.text
    again = "Start new with this text" if "gone" in fault else "Retry"
    assert page.action(again)[1]["content"] == "my precious words"
    assert "Traceback" not in page.text
    assert upstream.sent() == ["my precious words"]


def test_no_connection_is_told_in_a_sentence(alice: Person, upstream: Upstream):
    form = alice.get("/twins/ada")
    upstream.stop()

    page = ended(alice, alice.press(form, "Send", content="anybody there?"))

    assert page.states == ["failed"]
    assert "The service cannot be reached. Your message was not sent." in page.text
    assert page.action("Retry")[1]["content"] == "anybody there?"


def test_a_conversation_that_is_gone_can_be_begun_anew(alice: Person, upstream: Upstream):
    page = alice.begin("do you remember?")
    upstream.next_call().answer(404, {"error": "gone"})
    page = ended(alice, page)

    fresh = alice.press(page, "Start new with this text")
    upstream.next_call().begin().complete("Of course")

    assert fresh.path != page.path
    assert ended(alice, fresh).states == ["complete"]


def test_a_service_without_a_stream_is_asked_for_the_whole_reply(alice: Person, upstream: Upstream):
    page = alice.begin("hello")
    upstream.next_call().answer(405, {"error": "no streams here"})
    call = upstream.next_call()
    call.answer(201, {"data": {"content": "Hello, in one piece"}})
    page = ended(alice, page)

    assert call.path == "/api/v1/conversations/up-1/messages"
    assert page.states == ["complete"]
    assert "Hello, in one piece" in page.text


def test_what_the_service_says_in_an_error_event_is_only_text(alice: Person, upstream: Upstream):
    page = alice.begin("hello")
    error_event(upstream.next_call())
    page = ended(alice, page)

    assert page.html.select_one(".note b") is None


def test_a_busy_conversation_is_asked_again_for_a_moment(
    alice: Person, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("chat.producer.CONFLICT_PAUSES", (0.0, 0.0))
    page = alice.begin("first")
    upstream.next_call().answer(409, {"error": "busy"})
    upstream.next_call().begin().complete("Now")
    page = ended(alice, page)
    assert page.states == ["complete"]

    page = alice.press(page, "Send", content="second")
    for _ in range(3):
        upstream.next_call().answer(409, {"error": "busy"})
    page = ended(alice, page)
    assert page.states == ["complete", "failed"]
    assert "Another reply is in progress" in page.text


@pytest.mark.parametrize("how", ["event", "answer"])
def test_a_service_that_repeats_our_key_does_not_show_it(
    alice: Person, upstream: Upstream, how: str
):
    page = alice.begin("hello")
    call = upstream.next_call()
    if how == "event":
        call.begin().send(type="error", error=f"bad key {KEY}!")
        call.finish()
    else:
        call.answer(422, {"error": f"bad key {KEY}!"})
    page = ended(alice, page)

    assert "bad key •••!" in page.text
    assert KEY not in page.response.text
