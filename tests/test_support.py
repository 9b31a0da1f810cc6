"""The test suite itself."""

from __future__ import annotations

import subprocess
import sys

import pytest


def test_a_test_without_a_resource_cannot_start_a_process():
    with pytest.raises(RuntimeError, match="use a fixture of tests"):
        subprocess.run([sys.executable, "-c", ""], check=False)


def test_a_test_with_a_resource_can_start_processes(processes: None):
    subprocess.run([sys.executable, "-c", ""], check=True)
