"""Numbers, what they were promised to be, and one table of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Report = dict[str, Any]


class Expectation(NamedTuple):
    """What a number must be, in words and as a test."""

    description: str
    is_met: Callable[[Any], bool]


Expectations = Mapping[str, Expectation]


def at_most(limit: float) -> Expectation:
    """Promise no more than that; what was not measured breaks nothing."""
    return Expectation(f"at most {limit}", lambda value: value is None or value <= limit)


def at_least(limit: float) -> Expectation:
    """Promise that much; what was not measured breaks nothing."""
    return Expectation(f"at least {limit}", lambda value: value is None or value >= limit)


def below(limit: float) -> Expectation:
    """Promise less than that."""
    return Expectation(f"below {limit}", lambda value: value < limit)


def exactly(expected: object) -> Expectation:
    """Promise one value."""
    return Expectation(f"{expected!r}", lambda value: value == expected)


def only(*allowed: str) -> Expectation:
    """Promise that nothing else occurs."""
    return Expectation(f"only {', '.join(allowed)}", lambda value: set(value) <= set(allowed))


def failed_expectations(report: Report, expectations: Expectations) -> list[str]:
    """Name the promises that were not kept."""
    return [
        name for name, expectation in expectations.items() if not expectation.is_met(report[name])
    ]


def print_report(title: str, report: Report, expectations: Expectations) -> bool:
    """Print a table, and tell whether all promises were kept."""
    failed = failed_expectations(report, expectations)
    print(f"\n{title}")
    for name, value in report.items():
        expected = expectations[name].description if name in expectations else ""
        mark = "BROKEN" if name in failed else ""
        print(f"  {name:24} {value!s:36} {expected:34} {mark}".rstrip())
    return not failed
