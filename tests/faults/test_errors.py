"""Errors that the service reports are shown as one plain sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.conftest import (
    UPSTREAM_MARKUP,
    SendMessage,
    assert_outcome,
    delta_bytes,
    event_bytes,
    respond_with_stream,
)
from tests.support.cases import failures
from tests.support.upstream import UPSTREAM_KEY

REPORTED = "The twin service reported an error"
NO_DETAILS = "The twin service reported an error without details."


# Cases: the `error` field of the event, and the text that is shown for it.
ERRORS: list[tuple[Any, str]] = [
    ("tired", "tired"),
    ("a\n b", "a b"),
    ({"message": "tired", "code": 3}, "tired"),
    ({"error": {"message": "tired"}}, "tired"),
    ([3, "tired"], "tired"),
    (3, ""),
    (None, ""),
    ({}, ""),
    (UPSTREAM_MARKUP, UPSTREAM_MARKUP),
    ("**a** [b](c:d)", "**a** [b](c:d)"),
    ("key sk-0123456789abcdef!", "key •••!"),
    ("Bearer s3cr3t-t0ken", "•••"),
    (f"bad key {UPSTREAM_KEY}!", "bad key •••!"),
]


@pytest.mark.fault("F19")
def test_reported_error_is_shown_as_plain_text(send_message: SendMessage):
    def check(case: tuple[Any, str]) -> None:
        error, shown = case
        seen = send_message(
            respond_with_stream(
                delta_bytes("So far"), event_bytes({"type": "error", "error": error})
            )
        )
        assert_outcome(
            seen, "failed", f"{REPORTED}: {shown}" if shown else NO_DETAILS, reply="So far"
        )

    assert failures(check, {repr(case[0]): case for case in ERRORS}) == {}
    assert_outcome(
        send_message(respond_with_stream(event_bytes({"type": "error"}))), "failed", NO_DETAILS
    )


@pytest.mark.fault("F19")
def test_long_reported_error_is_truncated(send_message: SendMessage):
    seen = send_message(respond_with_stream(event_bytes({"type": "error", "error": "x" * 10_000})))

    assert_outcome(seen, "failed", REPORTED)
    assert 100 < seen.note.count("x") <= 510


def test_sse_event_name_is_used_when_the_type_field_is_missing(send_message: SendMessage):
    failed = send_message(respond_with_stream(event_bytes({"error": "tired"}, "error")))
    done = send_message(
        respond_with_stream(event_bytes({"message": "Hi"}, "complete")),
        words="and now?",
        page=failed.page,
    )

    assert_outcome(failed, "failed", f"{REPORTED}: tired")
    assert_outcome(
        done,
        "complete",
        reply="Hi",
        content="and now?",
        sent_messages=["my precious words", "and now?"],
    )
