"""Numbers, what they were promised to be, and one table of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

Report = dict[str, Any]


class Promise(NamedTuple):
    """What a number must be, in words and as a test."""

    words: str
    holds: Callable[[Any], bool]


Promises = Mapping[str, Promise]


def at_most(limit: float) -> Promise:
    """Promise no more than that; what was not measured breaks nothing."""
    return Promise(f"at most {limit}", lambda value: value is None or value <= limit)


def at_least(limit: float) -> Promise:
    """Promise that much; what was not measured breaks nothing."""
    return Promise(f"at least {limit}", lambda value: value is None or value >= limit)


def below(limit: float) -> Promise:
    """Promise less than that."""
    return Promise(f"below {limit}", lambda value: value < limit)


def exactly(wanted: object) -> Promise:
    """Promise one value."""
    return Promise(f"{wanted!r}", lambda value: value == wanted)


def only(*allowed: str) -> Promise:
    """Promise that nothing else occurs."""
    return Promise(f"only {', '.join(allowed)}", lambda value: set(value) <= set(allowed))


def broken(report: Report, promises: Promises) -> list[str]:
    """Name the promises that were not kept."""
    return [name for name, promise in promises.items() if not promise.holds(report[name])]


def show(title: str, report: Report, promises: Promises) -> bool:
    """Print a table, and tell whether all promises were kept."""
    wrong = broken(report, promises)
    print(f"\n{title}")
    for name, value in report.items():
        promised = promises[name].words if name in promises else ""
        mark = "BROKEN" if name in wrong else ""
        print(f"  {name:24} {value!s:36} {promised:34} {mark}".rstrip())
    return not wrong
