"""What the service calls an error is told as one plain sentence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.conftest import MARKUP, Hear, delta, event, promised, streams
from tests.support.upstream import KEY

REPORTED = "The service reported an error"
NO_DETAILS = "The service reported an error without details."


@pytest.mark.parametrize(
    ("error", "said"),
    [
        pytest.param("tired", "tired", marks=pytest.mark.fault("F19")),
        pytest.param("a\n b", "a b", marks=pytest.mark.fault("F19")),
        pytest.param({"message": "tired", "code": 3}, "tired", marks=pytest.mark.fault("F20")),
        pytest.param({"error": {"message": "tired"}}, "tired", marks=pytest.mark.fault("F20")),
        pytest.param([3, "tired"], "tired", marks=pytest.mark.fault("F20")),
        pytest.param(3, None, marks=pytest.mark.fault("F20")),
        pytest.param(None, None, marks=pytest.mark.fault("F20")),
        pytest.param({}, None, marks=pytest.mark.fault("F20")),
        pytest.param(MARKUP, MARKUP, marks=pytest.mark.fault("F21")),
        pytest.param("**a** [b](c:d)", "**a** [b](c:d)", marks=pytest.mark.fault("F21")),
        pytest.param("key sk-0123456789abcdef!", "key •••!", marks=pytest.mark.fault("F21")),
        pytest.param("Bearer s3cr3t-t0ken", "•••", marks=pytest.mark.fault("F21")),
        pytest.param(f"bad key {KEY}!", "bad key •••!", marks=pytest.mark.fault("F21")),
    ],
)
def test_an_error_is_told_as_plain_text(hear: Hear, error: Any, said: str | None):
    seen = hear(streams(delta("So far"), event({"type": "error", "error": error})))

    promised(seen, "failed", f"{REPORTED}: {said}" if said else NO_DETAILS, kept="So far")


@pytest.mark.fault("F20")
def test_an_error_that_says_nothing_is_told(hear: Hear):
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
