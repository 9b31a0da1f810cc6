"""Rate limit headers in all common forms."""

from __future__ import annotations

import time

import pytest
from requests.structures import CaseInsensitiveDict

from twindow.twinapi.rate_limit_headers import RateLimitReport, parse_report

FORMS = {
    "the draft": (
        {"RateLimit": '"hour";r=10;t=60', "RateLimit-Policy": '"hour";q=500;w=3600'},
        RateLimitReport(10, 500, 60),
    ),
    "the older draft": (
        {"RateLimit": "limit=500, remaining=10, reset=60"},
        RateLimitReport(10, 500, 60),
    ),
    "fields": (
        {"RateLimit-Limit": "500", "RateLimit-Remaining": "10", "RateLimit-Reset": "60"},
        RateLimitReport(10, 500, 60),
    ),
    "older fields": (
        {"x-ratelimit-limit": "500", "x-ratelimit-remaining": "0", "x-ratelimit-reset": "5"},
        RateLimitReport(0, 500, 5),
    ),
    "only what is left": ({"X-RateLimit-Remaining": "7"}, RateLimitReport(7)),
    "nothing": ({}, None),
    "no numbers": ({"X-RateLimit-Remaining": "many", "RateLimit": "soon"}, None),
    "a number without end": ({"X-RateLimit-Remaining": "9" * 400}, None),
    "unlimited": ({"X-RateLimit-Remaining": "4294967295"}, RateLimitReport(2**31 - 1)),
    "a policy without end": (
        {"RateLimit": "r=1;t=9", "RateLimit-Policy": f"q={'9' * 5000};w={'9' * 5000}"},
        RateLimitReport(1, None, 9),
    ),
}


def test_rate_limits_are_read_from_every_form_of_headers():
    found = {
        name: parse_report(CaseInsensitiveDict(headers)) for name, (headers, _) in FORMS.items()
    }

    assert found == {name: known for name, (_, known) in FORMS.items()}


def test_reset_may_be_a_unix_timestamp():
    limits = parse_report(
        {"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": str(int(time.time()) + 100)}
    )

    assert limits
    assert limits.resets_in == pytest.approx(100, abs=5)


def test_reset_is_at_most_an_hour_away():
    for reset in (86_400, 99999999999999, int((time.time() + 60) * 1000)):
        limits = parse_report({"X-RateLimit-Remaining": "1", "X-RateLimit-Reset": str(reset)})
        assert limits
        assert limits.resets_in is not None
        assert 0 <= limits.resets_in <= 3_600
