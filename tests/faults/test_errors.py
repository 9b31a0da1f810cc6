"""What the service calls an error is told as one plain sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.conftest import MARKUP, Hear, delta, event, promised, streams
from tests.support.cases import failures
from tests.support.upstream import KEY

REPORTED = "The service reported an error"
NO_DETAILS = "The service reported an error without details."


# What the service calls its error, and what is shown of it.
ERRORS: list[tuple[Any, str]] = [
    ("tired", "tired"),
    ("a\n b", "a b"),
    ({"message": "tired", "code": 3}, "tired"),
    ({"error": {"message": "tired"}}, "tired"),
    ([3, "tired"], "tired"),
    (3, ""),
    (None, ""),
    ({}, ""),
    (MARKUP, MARKUP),
    ("**a** [b](c:d)", "**a** [b](c:d)"),
    ("key sk-0123456789abcdef!", "key •••!"),
    ("Bearer s3cr3t-t0ken", "•••"),
    (f"bad key {KEY}!", "bad key •••!"),
]


@pytest.mark.fault("F19", "F20", "F21")
def test_error_of_the_service_is_shown_as_plain_text(hear: Hear):
    def check(case: tuple[Any, str]) -> None:
        error, shown = case
        seen = hear(streams(delta("So far"), event({"type": "error", "error": error})))
        promised(seen, "failed", f"{REPORTED}: {shown}" if shown else NO_DETAILS, kept="So far")

    assert failures(check, {repr(case[0]): case for case in ERRORS}) == {}
    promised(hear(streams(event({"type": "error"}))), "failed", NO_DETAILS)


@pytest.mark.fault("F19")
def test_a_long_error_is_cut(hear: Hear):
    seen = hear(streams(event({"type": "error", "error": "x" * 10_000})))

    promised(seen, "failed", REPORTED)
    assert 100 < seen.note.count("x") <= 510


@pytest.mark.fault("F22")
def test_the_name_of_an_event_serves_where_its_type_is_missing(hear: Hear):
    failed = hear(streams(event({"error": "tired"}, "error")))
    done = hear(streams(event({"message": "Hi"}, "complete")), words="and now?", page=failed.page)

    promised(failed, "failed", f"{REPORTED}: tired")
    promised(done, "complete", kept="Hi", words="and now?", sent=["my precious words", "and now?"])
