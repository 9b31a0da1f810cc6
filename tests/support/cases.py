"""Helper that runs many cases in one test and reports every failure."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

Case = TypeVar("Case")


def failures(check: Callable[[Case], None], cases: Mapping[str, Case]) -> dict[str, str]:
    """Run `check` for each case; return the messages of the failed cases by name.

    An exception other than AssertionError propagates, with the name of the case as a note. Usage:

        assert failures(check, cases) == {}
    """
    failed = {}
    for name, case in cases.items():
        try:
            check(case)
        except AssertionError as error:
            failed[name] = str(error)
        except Exception as error:
            error.add_note(f"in case {name!r}")
            raise
    return failed
