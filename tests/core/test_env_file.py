"""The option --env-file of `python app.py` and `python -m service`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from core.settings import SettingsError, load_env_file


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TWINDOW_PORT", "9000")
    # After `setenv`, monkeypatch restores the variable at the end of the test.
    monkeypatch.setenv("TWINDOW_SITE_NAME", "")
    monkeypatch.delenv("TWINDOW_SITE_NAME")


def test_env_file_sets_the_variables_that_are_not_set(tmp_path: Path):
    file = tmp_path / "twindow.env"
    file.write_text('TWINDOW_PORT=8000\nTWINDOW_SITE_NAME="Our portal"  # a comment\n')

    assert load_env_file(["--env-file", str(file), "key", "--sub", "me"]) == ["key", "--sub", "me"]
    assert os.environ["TWINDOW_PORT"] == "9000"
    assert os.environ["TWINDOW_SITE_NAME"] == "Our portal"


def test_dot_env_file_is_read_by_default(tmp_path: Path):
    (tmp_path / ".env").write_text("TWINDOW_SITE_NAME=Ours\n")

    assert load_env_file([]) == []
    assert os.environ["TWINDOW_SITE_NAME"] == "Ours"


def test_missing_env_file_is_an_error():
    with pytest.raises(SettingsError, match=r"--env-file=nowhere\.env is not a file\."):
        load_env_file(["--env-file=nowhere.env"])
