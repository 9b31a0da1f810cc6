"""Stopping a reply: the text so far is kept, and the worker ends."""

import pytest

from tests.support.person import Person, wait_for_reply
from tests.support.upstream import Upstream
from twindow.twinapi import stream


def test_stop_keeps_the_text_and_closes_the_service_connection(alice: Person, upstream: Upstream):
    page = alice.start_conversation("tell me everything")
    call = upstream.next_call().start_stream()
    with alice.follow(str(page.turns[0]["data-turn"])) as reader:
        call.delta("Once upon a time")
        reader.read_until("Once upon a time")
        page = alice.press(alice.get(page.path), "Stop")
        frames = reader.remaining_events()

    assert call.wait_for_disconnect()
    assert page.reply_states == ["stopped"]
    assert "Once upon a time" in page.text
    assert "Stopped." in page.text
    assert frames[-1].name == "done"


def test_stop_sends_delete_to_the_url_announced_by_the_service(alice: Person, upstream: Upstream):
    page = alice.start_conversation("hello")
    call = upstream.next_call().start_stream(link='</replies/7?by=stop>; rel="cancel"')
    call.delta("Half")
    alice.press(page, "Stop")

    stop = upstream.next_call()
    stop.respond(204, b"")
    assert (stop.method, stop.path) == ("DELETE", "/replies/7?by=stop")


@pytest.mark.parametrize(
    "headers",
    [
        {"location": "/api/v1/conversations/up-1"},
        {"link": '</api/v1/conversations/up-1>; rel="next", <https://x.example>; rel="cancel"'},
        {"link": "cancel"},
    ],
)
def test_stop_sends_nothing_to_a_service_that_has_not_announced_it(
    alice: Person, upstream: Upstream, headers: dict[str, str]
):
    page = alice.start_conversation("hello")
    call = upstream.next_call().start_stream(**headers)
    call.delta("Half")
    page = alice.press(page, "Stop")

    assert call.wait_for_disconnect()
    page = alice.press(page, "Send", content="next")
    upstream.next_call().start_stream().complete("Yes")
    assert wait_for_reply(alice, page).reply_states == ["stopped", "complete"]
    assert {call.method for call in upstream.calls} <= {"GET", "POST"}


def test_stop_before_the_response_begins_closes_the_connection_to_the_service(
    alice: Person, upstream: Upstream, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(stream, "ABORT_DELAY_SECONDS", 0.1)
    page = alice.start_conversation("hello")
    call = upstream.next_call()

    page = alice.press(page, "Stop")

    assert call.wait_for_disconnect()
    assert page.reply_states == ["stopped"]
    page = alice.press(page, "Send", content="next")
    upstream.next_call().start_stream().complete("Yes")
    assert wait_for_reply(alice, page).reply_states == ["stopped", "complete"]
