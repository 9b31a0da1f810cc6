"""Cost of a test run: CPU time, seconds by folder, and the slowest tests."""

from __future__ import annotations

import resource
from collections import Counter

import pytest

SLOWEST_TEST_COUNT = 10


class Durations:
    """A pytest plugin that adds up the set-up, call and teardown of each test over all workers."""

    def __init__(self) -> None:
        self._seconds: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add the duration of one phase of a test."""
        self._seconds[report.nodeid] += report.duration

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print the totals and the slowest tests."""
        folders: Counter[str] = Counter()
        for test, seconds in self._seconds.items():
            folders[test.split("::")[0].split("/")[1]] += seconds
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        cpu_seconds = sum(usage.ru_utime + usage.ru_stime for usage in used)
        total_seconds = sum(folders.values())
        terminalreporter.section(
            f"{total_seconds:.0f} seconds of tests, {cpu_seconds:.0f} core-seconds"
        )
        parts = (f"{name} {seconds:.0f}" for name, seconds in folders.most_common() if seconds >= 1)
        terminalreporter.line(", ".join(parts))
        for test, seconds in self._seconds.most_common(SLOWEST_TEST_COUNT):
            terminalreporter.line(f"{seconds:6.1f} {test}")
