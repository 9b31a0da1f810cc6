"""The hourly limit of the portal: fresh cookies and addresses do not multiply it."""

from __future__ import annotations

from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from tests.support.html import parse_html
from tests.support.upstream import Upstream

LIMIT = 10


@pytest.fixture
def settings(settings: dict[str, Any]) -> dict[str, Any]:
    return settings | {"api_hourly_limit": LIMIT}


def send_from(app: Flask, address: str) -> TestResponse:
    """Send a first message with fresh cookies."""
    client = app.test_client()
    client.environ_base["REMOTE_ADDR"] = address
    form = parse_html(client.get("/twins/ada").text).select_one("#composer form")
    fields = {tag["name"]: tag.get("value", "") for tag in form.select("input[type=hidden]")}
    return client.post(form["action"], data=fields | {"content": "Hello"})


@pytest.mark.limit("L40")
def test_all_people_together_send_no_more_than_the_hourly_limit(app: Flask, upstream: Upstream):
    responses = [send_from(app, f"192.0.2.{number}") for number in range(50)]

    assert [response.status_code for response in responses] == [303] * 5 + [429] * 45
    assert "This portal has reached its hourly limit." in parse_html(responses[-1].text).get_text()
    for _ in range(5):
        upstream.next_call().start_stream().complete("Hi")
    assert len([call for call in upstream.calls if call.method == "POST"]) == LIMIT


@pytest.mark.limit("L12")
def test_network_with_many_visitors_uses_at_most_four_fifths_of_the_hourly_limit(app: Flask):
    responses = [send_from(app, f"2001:db8:1:2::{number:x}") for number in range(50)]

    assert [response.status_code for response in responses] == [303] * 4 + [429] * 46
    reason = parse_html(responses[-1].text).get_text()
    assert "Your network has reached its share of the hourly limit." in reason
    assert send_from(app, "2001:db8:1:3::1").status_code == 303
