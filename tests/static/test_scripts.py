"""Unit tests of the scripts, run by Node.js, and the syntax of minified modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.node import run_node
from web.assets.bundles import SCRIPT_MODULES, STATIC_DIR, minify

TEST_FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("file", TEST_FILES, ids=[file.name for file in TEST_FILES])
def test_unit_tests_of_scripts_pass(file: Path):
    result = run_node("--test", file)

    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("name", SCRIPT_MODULES)
def test_minified_module_is_valid(name: str, tmp_path: Path):
    path = tmp_path / f"{name}.mjs"
    path.write_text(minify(name, (STATIC_DIR / "js" / name).read_text()))

    result = run_node("--check", path)

    assert result.returncode == 0, result.stderr
