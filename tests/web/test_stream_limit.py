"""Limits of concurrent streams, per person and per address."""

from __future__ import annotations

import pytest
from flask import Flask, Response, session

from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream
from tests.support.waiting import wait_until
from twindow.web.session.fields import VISITOR_FIELD
from twindow.web.streaming.stream_limit import (
    MAX_STREAMS_PER_PERSON,
    count_stream,
    is_stream_limit_reached,
)


def open_stream(app: Flask, person: str, address: str) -> Response | None:
    """Open a stream, and return its response; None if it is refused."""
    with app.test_request_context(environ_base={"REMOTE_ADDR": address}):
        session[VISITOR_FIELD] = person
        return None if is_stream_limit_reached() else count_stream(Response())


@pytest.mark.limit("L5")
def test_streams_of_a_person_are_limited_until_they_are_closed(app: Flask):
    limit = MAX_STREAMS_PER_PERSON
    opened = [open_stream(app, "alice", f"192.0.2.{number}") for number in range(10 * limit)]

    streams = [stream for stream in opened if stream]
    assert streams == opened[:limit]
    assert open_stream(app, "bob", "192.0.2.1")
    for stream in streams:
        stream.close()
    assert open_stream(app, "alice", "192.0.2.1")


@pytest.mark.limit("L15")
def test_streams_of_an_address_are_limited_whatever_its_cookies(app: Flask):
    app.config["MAX_STREAMS_PER_ADDRESS"] = 4
    opened = [open_stream(app, str(number), f"2001:db8::{number}") for number in range(40)]

    streams = [stream for stream in opened if stream]
    assert streams == opened[:4]
    assert open_stream(app, "0", "192.0.2.1")
    for stream in streams:
        stream.close()
    assert open_stream(app, "0", "2001:db8::1")


@pytest.mark.limit("L5")
def test_streams_that_check_a_proxy_are_limited(app: Flask, alice: Person):
    app.config["MAX_STREAMS_PER_ADDRESS"] = 0

    assert alice.get("/healthz/stream").status == 429


@pytest.mark.limit("L5")
def test_export_counts_as_a_stream(app: Flask, alice: Person, upstream: Upstream):
    path = f"{complete_first_turn(alice, upstream, 'Hello', 'Hi').path}/export?format=md"
    assert alice.get(path).status == 200
    wait_until(lambda: not app.extensions["stream_counts"])

    app.config["MAX_STREAMS_PER_ADDRESS"] = 0
    refused = alice.get(path)
    assert refused.status == 429
    assert "Too many requests." in refused.text
