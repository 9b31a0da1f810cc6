"""Rules of the test suite itself."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_process_start_requires_a_resource_fixture():
    with pytest.raises(RuntimeError, match="use a fixture of tests"):
        subprocess.run([sys.executable, "-c", ""], check=False)


def test_resource_fixture_allows_starting_processes(processes: None):
    assert subprocess.run([sys.executable, "-c", ""], check=False).returncode == 0
