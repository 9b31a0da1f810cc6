"""The option --env-file of `python app.py` and `python -m twindow.service`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from twindow.core.settings import SettingsError, load_env_file


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TWINDOW_PORT", "9000")
    # After `setenv`, monkeypatch restores the variables at the end of the test.
    for name in ("TWINDOW_SITE_NAME", "TWINDOW_PORT_80_TCP", "WINDOW", "TZ"):
        monkeypatch.setenv(name, "")
        monkeypatch.delenv(name)


def test_env_file_sets_the_variables_that_are_not_set(tmp_path: Path):
    file = tmp_path / "twindow.env"
    file.write_text('TWINDOW_PORT=8000\nTWINDOW_SITE_NAME="Our portal"  # a comment\n')

    assert load_env_file(["--env-file", str(file), "key", "--sub", "me"]) == ["key", "--sub", "me"]
    assert os.environ["TWINDOW_PORT"] == "9000"
    assert os.environ["TWINDOW_SITE_NAME"] == "Our portal"


WRONG_LINES = {
    b"TWINDOW_SIGN_IN: password": "this is not like NAME=value.",
    b"TWINDOW_SIGN_IN": "this is not like NAME=value.",
    b'TWINDOW_WELCOME="Hello': "this is not like NAME=value.",
    b"twindow_sign_in=password": "write TWINDOW_SIGN_IN in capitals.",
    b"TWINDOW_SIGNIN=password": (
        "TWINDOW_SIGNIN is not a setting of Twindow; did you mean TWINDOW_SIGN_IN?."
    ),
    b"TWINDOWS_SIGN_IN=password": (
        "TWINDOWS_SIGN_IN is not a setting of Twindow; did you mean TWINDOW_SIGN_IN?."
    ),
    b"TWINDOW_WELCOME=Gr\xfc\xdfe": "the text is not UTF-8.",
}


def test_line_that_cannot_be_read_is_an_error_with_file_and_line(tmp_path: Path):
    file = tmp_path / "twindow.env"
    for line, sentence in WRONG_LINES.items():
        file.write_bytes(b"# Our settings\nTZ=UTC\n\n" + line + b"\n")

        with pytest.raises(SettingsError) as raised:
            load_env_file(["--env-file", str(file)])

        assert str(raised.value) == f"{file}, line 4: {sentence}"
        assert "TZ" not in os.environ


def test_dot_env_file_is_read_by_default_with_quoted_values_and_other_variables(tmp_path: Path):
    (tmp_path / ".env").write_text(
        "\ufeffexport TWINDOW_SITE_NAME='Ours'\r\nTWINDOW_PORT_80_TCP=tcp://10.0.0.1:80\r\n"
        "WINDOW=1\r\n# TWINDOW_SIGN_IN\r\n"
    )

    load_env_file([])

    assert os.environ["TWINDOW_SITE_NAME"] == "Ours"


def test_missing_env_file_is_an_error():
    with pytest.raises(SettingsError, match=r"--env-file=nowhere\.env is not a file\."):
        load_env_file(["--env-file=nowhere.env"])
