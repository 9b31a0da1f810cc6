"""What services say of their limits, in any of the forms that are in use."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest
from requests.structures import CaseInsensitiveDict

from twinapi.limits import Limits, limits

FORMS = {
    "the draft": (
        {"RateLimit": '"hour";r=10;t=60', "RateLimit-Policy": '"hour";q=500;w=3600'},
        Limits(10, 500, 60, 3600),
    ),
    "the older draft": ({"RateLimit": "limit=500, remaining=10, reset=60"}, Limits(10, 500, 60)),
    "fields": (
        {"RateLimit-Limit": "500", "RateLimit-Remaining": "10", "RateLimit-Reset": "60"},
        Limits(10, 500, 60),
    ),
    "older fields": (
        {"x-ratelimit-limit": "500", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "5"},
        Limits(0, 500, 5),
    ),
    "only what is left": ({"X-RateLimit-Remaining": "7"}, Limits(7)),
    "nothing": ({}, None),
    "no numbers": ({"X-RateLimit-Remaining": "many", "RateLimit": "soon"}, None),
    "a number without end": ({"X-RateLimit-Remaining": "9" * 400}, None),
    "unlimited": ({"X-RateLimit-Remaining": "4294967295"}, Limits(2**31 - 1)),
    "a policy without end": (
        {"RateLimit": "r=1;t=9", "RateLimit-Policy": f"q={'9' * 5000};w={'9' * 5000}"},
        Limits(1, None, 9),
    ),
}


@pytest.mark.parametrize(("headers", "known"), FORMS.values(), ids=FORMS)
def test_every_form_is_read(headers: dict[str, str], known: Limits | None):
    assert limits(CaseInsensitiveDict(headers)) == known


def test_a_reset_may_be_a_time():
    said = limits({"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": str(int(time.time()) + 100)})

    assert said
    assert said.resets_in == pytest.approx(100, abs=5)


@pytest.mark.parametrize("reset", [lambda: 99999999999999, lambda: int((time.time() + 60) * 1000)])
def test_a_reset_is_never_farther_than_a_day(reset: Callable[[], int]):
    said = limits({"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": str(reset())})

    assert said
    assert said.resets_in is not None
    assert 0 <= said.resets_in <= 86_400
