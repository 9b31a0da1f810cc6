"""The limits of messages, as visitors meet them: fresh cookies and addresses do not evade them."""

from __future__ import annotations

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.support.html import parse_html
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream

pytestmark = pytest.mark.settings(limits="person=10/hour, address=12/hour")


def send_from(app: Flask, address: str) -> TestResponse:
    """Send a first message with fresh cookies."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    form = parse_html(client.get("/twins/ada").text).select_one("#composer form")
    fields = {tag["name"]: tag.get("value", "") for tag in form.select("input[type=hidden]")}
    return client.post(form["action"], data=fields | {"content": "Hello"})


def test_network_with_many_visitors_reaches_the_limit_of_an_address(app: Flask):
    responses = [send_from(app, f"2001:db8:1:2::{number:x}") for number in range(50)]

    assert [response.status_code for response in responses] == [303] * 12 + [429] * 38
    form = parse_html(responses[-1].text)
    assert "Your network has reached its message limit." in form.get_text()
    assert form.select_one("#message").get_text() == "Hello"
    assert form.select_one("#composer .countdown__clock")
    assert send_from(app, "2001:db8:1:3::1").status_code == 303


def test_messages_left_for_a_person_are_shown_before_the_last_one(
    alice: Person, upstream: Upstream
):
    for _ in range(9):
        page = alice.start_conversation("Hello")
        upstream.next_call().start_stream().complete("Hi")

    assert "You can send 1 more message until" in alice.get("/twins/ada").text
    assert "You can send 1 more message until" in alice.get(page.path).text

    for _ in range(2):
        page = alice.press(alice.get("/twins/ada"), "Send", content="Hello")
    assert "limit" in page.text
    assert "more message" not in page.text


@pytest.mark.settings(history_limit=1)
def test_message_beyond_the_limit_of_saved_messages_stays_in_the_composer(
    alice: Person, upstream: Upstream
):
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    refused = alice.press(page, "Send", content="And now?")

    assert refused.status == 429
    assert "You've reached the limit of saved messages. Delete conversations" in refused.text
    assert refused.html.select_one("#message").get_text() == "And now?"
    assert upstream.sent_messages() == ["Hello"]
