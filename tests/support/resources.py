"""Markers for external resources: browser, server, postgres and model.

A test gets the marker of a resource by using its fixture. A test without a marker cannot start a
process, so that `make test-fast` (unmarked tests only) stays fast by construction.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import pytest

# The marker of each fixture. `postgresql` is not a fixture but a value of a test parameter.
RESOURCE_FIXTURES = {
    "browser": "browser",
    "context": "browser",
    "noscript_context": "browser",
    "firefox": "browser",
    "webkit": "browser",
    "postgres": "postgres",
    "postgresql": "postgres",
    "demo_model": "model",
    "processes": "server",
}
MARKERS = frozenset(RESOURCE_FIXTURES.values())
# A test may start these short-lived programs without a marker.
ALLOWED_PROGRAMS = {"openssl", "apt-get", "node"}


class ProcessGuard:
    """A pytest plugin that forbids starting a process in a test that uses no resource."""

    def __init__(self) -> None:
        self._test: pytest.Item | None = None
        sys.addaudithook(self._audit)

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, items: Sequence[pytest.Item]) -> None:
        """Add the markers of the resources that each test uses."""
        for item in items:
            fixtures = set(getattr(item, "fixturenames", ()))
            if hasattr(item, "callspec"):
                fixtures |= {p for p in item.callspec.params.values() if isinstance(p, str)}
            for marker in {RESOURCE_FIXTURES[name] for name in fixtures & RESOURCE_FIXTURES.keys()}:
                item.add_marker(marker)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Prevent the test from starting processes, unless the test uses a resource."""
        self._test = None if MARKERS & {mark.name for mark in item.iter_markers()} else item

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_teardown(self) -> None:
        """Allow processes, because stopping a shared server may start one (`pg_ctl`)."""
        self._test = None

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event != "subprocess.Popen" or self._test is None:
            return
        program = str(arguments[0]).rpartition("/")[2]
        if program not in ALLOWED_PROGRAMS:
            raise RuntimeError(
                f"{self._test.nodeid} starts {program}: use a fixture of tests/conftest.py "
                f"({', '.join(sorted(RESOURCE_FIXTURES))}), which also marks the test"
            )
