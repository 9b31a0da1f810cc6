"""pip cannot install the repository, because it is an application and not a package."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from twindow.paths import ROOT


@pytest.mark.usefixtures("processes")
@pytest.mark.parametrize("options", [[], pytest.param(["--editable"], marks=pytest.mark.nightly)])
def test_pip_install_reports_that_this_is_an_application(tmp_path: Path, options: list[str]):
    command = ["-m", "pip", "install", "--no-index", "--no-deps", "--target", str(tmp_path)]
    result = subprocess.run(
        [sys.executable, *command, *options, str(ROOT)], check=False, capture_output=True, text=True
    )

    assert result.returncode != 0
    assert "Twindow is an application, not a package: run it with `make run`" in result.stderr
    assert list(tmp_path.iterdir()) == []
