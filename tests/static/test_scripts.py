"""Unit tests of the scripts, run by Node.js."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.node import run_node

TEST_FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("file", TEST_FILES, ids=[file.name for file in TEST_FILES])
def test_unit_tests_of_scripts_pass(file: Path):
    result = run_node("--test", file)

    assert result.returncode == 0, result.stdout + result.stderr
