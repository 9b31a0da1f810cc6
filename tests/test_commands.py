"""Commands that run in a shell whose settings differ from the server's."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import flask.cli
import pytest
from click.testing import CliRunner, Result

from app import create_app
from tests.support.processes import ROOT


def run_flask(*arguments: str, **variables: str) -> Result:
    environment = {f"TWINDOW_{name}": value for name, value in variables.items()}
    return CliRunner().invoke(flask.cli.cli, arguments, env=environment)


@pytest.mark.parametrize(
    "command", [["twins"], ["check"], ["token", "--sub", "me"], ["key", "--sub=me", "--name=mine"]]
)
def test_flask_command_does_not_create_a_data_folder(tmp_path: Path, command: list[str]):
    folder = tmp_path / "data"

    result = run_flask("--app", "app", "twindow", *command, DATA_DIR=str(folder))

    assert result.exit_code == 1
    assert f"Error: The data folder {folder} does not exist. Start the server" in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_flask_command_reads_the_env_file_of_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    # After `setenv`, monkeypatch restores the variable at the end of the test.
    monkeypatch.setenv("TWINDOW_DATA_DIR", "")
    monkeypatch.delenv("TWINDOW_DATA_DIR")
    create_app({"data_dir": tmp_path})  # as the server does
    file = tmp_path / "twindow.env"
    file.write_text(f"TWINDOW_DATA_DIR={tmp_path}\n")

    result = run_flask("--env-file", str(file), "--app", "app", "twindow", "twins")

    assert (result.exit_code, result.output.splitlines()[0]) == (0, "ada\tAda")


def test_commands_change_neither_files_nor_tables_of_another_version(tmp_path: Path):
    create_app({"data_dir": tmp_path / "of_server"})
    # No connection is open to a copy, so only the commands can change it.
    folder = shutil.copytree(tmp_path / "of_server", tmp_path / "copy")
    with closing(sqlite3.connect(folder / "portal.db")) as database:
        database.execute("DELETE FROM alembic_version")
        database.commit()
    (folder / "portal_key").write_text("of another database")
    before = {path: path.read_bytes() for path in folder.iterdir() if path.suffix != ".db-shm"}

    results = [
        run_flask("--app", "app", "twindow", *command, DATA_DIR=str(folder))
        for command in (["check"], ["twins"], ["person", "list"])
    ]

    for result in results:
        assert result.exit_code == 1
        assert "is not up to date: start the server, which" in result.stderr
    assert {path: path.read_bytes() for path in before} == before


@pytest.mark.usefixtures("processes")
def test_service_command_does_not_create_a_data_folder(tmp_path: Path):
    file = tmp_path / "twindow.env"
    file.write_text(f"TWINDOW_DATA_DIR={tmp_path}/data\n")
    command = [sys.executable, "-m", "service", "--env-file", str(file), "twins"]
    environment = {name: os.environ[name] for name in os.environ if "TWINDOW" not in name}

    result = subprocess.run(
        command, check=False, capture_output=True, text=True, cwd=ROOT, env=environment
    )

    assert result.returncode == 1
    assert f"The data folder {tmp_path}/data does not exist." in result.stderr
    assert list(tmp_path.iterdir()) == [file]
