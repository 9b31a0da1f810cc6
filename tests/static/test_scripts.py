"""Unit tests of the scripts, run by Node.js, and the syntax of minified modules."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.cases import failures
from tests.support.node import run_node
from web.assets.bundles import minify
from web.assets.script_modules import MODULES

TEST_FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("file", TEST_FILES, ids=[file.name for file in TEST_FILES])
def test_unit_tests_of_scripts_pass(file: Path):
    result = run_node("--test", file)

    assert result.returncode == 0, result.stdout + result.stderr


def test_every_module_is_still_valid_when_it_is_minified(tmp_path: Path):
    def check(name: str) -> None:
        path = tmp_path / f"{name}.mjs"
        path.write_text(minify(name, (MODULES.folder / name).read_text()))
        result = run_node("--check", path)
        assert result.returncode == 0, result.stderr

    assert len(MODULES.names) > 10
    assert failures(check, {name: name for name in MODULES.names}) == {}
