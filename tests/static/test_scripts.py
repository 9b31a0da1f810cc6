"""Unit tests of the scripts, run by Node.js, and the syntax of minified modules."""

from __future__ import annotations

from pathlib import Path

import pytest
from flask import Flask

from core.languages import LANGUAGES
from tests.support.cases import failures
from tests.support.node import run_node
from web.assets.bundles import minify
from web.assets.script_modules import MODULES, SERVED

TEST_FILES = sorted(Path(__file__).parent.glob("*.test.mjs"))


@pytest.mark.parametrize("file", TEST_FILES, ids=[file.name for file in TEST_FILES])
def test_unit_tests_of_scripts_pass(file: Path):
    result = run_node("--test", file)

    assert result.returncode == 0, result.stdout + result.stderr


def test_every_served_file_is_valid_when_it_is_minified(app: Flask, tmp_path: Path):
    # The modules of a file must not define the same name twice.
    def check(case: tuple[str, str]) -> None:
        name, language = case
        path = tmp_path / f"{language}-{name}.mjs"
        with app.app_context():
            path.write_text(minify(name, MODULES.read(name, language)))
        result = run_node("--check", path)
        assert result.returncode == 0, result.stderr

    cases = [(name, language) for name in SERVED for language in LANGUAGES]
    assert failures(check, {"/".join(case): case for case in cases}) == {}
