"""Measured values, their expectations, and a table of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Report = dict[str, Any]


class Expectation(NamedTuple):
    """An expectation for a value: its description and its predicate."""

    description: str
    is_met: Callable[[Any], bool]


Expectations = Mapping[str, Expectation]


def at_most(limit: float) -> Expectation:
    """Expect at most this value; a missing measurement (None) is accepted."""
    return Expectation(f"at most {limit}", lambda value: value is None or value <= limit)


def at_least(limit: float) -> Expectation:
    """Expect at least this value; a missing measurement (None) is accepted."""
    return Expectation(f"at least {limit}", lambda value: value is None or value >= limit)


def below(limit: float) -> Expectation:
    """Expect less than this value."""
    return Expectation(f"below {limit}", lambda value: value < limit)


def exactly(expected: object) -> Expectation:
    """Expect exactly this value."""
    return Expectation(f"{expected!r}", lambda value: value == expected)


def only(*allowed: str) -> Expectation:
    """Expect a subset of these values."""
    return Expectation(f"only {', '.join(allowed)}", lambda value: set(value) <= set(allowed))


def failed_expectations(report: Report, expectations: Expectations) -> list[str]:
    """Return the names of the expectations that were not met."""
    return [
        name for name, expectation in expectations.items() if not expectation.is_met(report[name])
    ]


def print_report(title: str, report: Report, expectations: Expectations) -> bool:
    """Print a table; return whether all expectations were met."""
    failed = failed_expectations(report, expectations)
    print(f"\n{title}")
    for name, value in report.items():
        expected = expectations[name].description if name in expectations else ""
        mark = "BROKEN" if name in failed else ""
        print(f"  {name:24} {value!s:36} {expected:34} {mark}".rstrip())
    return not failed
