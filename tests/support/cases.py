"""Many cases in one test, which lists all that fail."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

Case = TypeVar("Case")


def failures(check: Callable[[Case], None], cases: Mapping[str, Case]) -> dict[str, str]:
    """Check each case; return those that fail, with the reason.

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
