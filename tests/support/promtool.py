"""promtool of Prometheus, which checks the text format and the names of metrics."""

from __future__ import annotations

import subprocess

from tests.support.packages import find_program


def check_metrics(text: str) -> str:
    """Return what `promtool check metrics` complains about, or "" if all is well."""
    program = find_program("promtool", "prometheus")
    result = subprocess.run(
        [program, "check", "metrics"], input=text, capture_output=True, text=True, check=False
    )
    return result.stdout + result.stderr
