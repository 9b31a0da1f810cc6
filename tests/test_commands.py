"""Commands that run in a shell whose settings differ from the server's."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.commands import run_flask
from tests.support.portals import close_portal
from twindow.application import create_app
from twindow.paths import ROOT


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
    close_portal(create_app({"data_dir": tmp_path}))  # as the server does
    file = tmp_path / "twindow.env"
    file.write_text(f"TWINDOW_DATA_DIR={tmp_path}\n")

    result = run_flask("--env-file", str(file), "--app", "app", "twindow", "twins")

    assert (result.exit_code, result.output.splitlines()[0]) == (0, "ada\tAda")


def test_commands_change_neither_files_nor_tables_of_another_version(tmp_path: Path):
    close_portal(create_app({"data_dir": tmp_path / "of_server"}))
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
        assert "is not up to date: “twindow upgrade”, or" in result.stderr
    assert {path: path.read_bytes() for path in before} == before


def outdated(folder: Path, template: Path) -> Path:
    """Copy the data folder of a server, without the tables of the portal."""
    shutil.copytree(template, folder)
    (folder / "portal.db").unlink()
    (folder / "portal.db").touch()
    return folder


def test_upgrade_command_creates_folder_secrets_and_tables(tmp_path: Path):
    folder = tmp_path / "data"

    result = run_flask("--app", "app", "twindow", "upgrade", DATA_DIR=str(folder))

    assert (result.exit_code, result.output) == (0, "The tables are up to date.\n")
    twins = run_flask("--app", "app", "twindow", "twins", DATA_DIR=str(folder))
    assert (twins.exit_code, twins.output.splitlines()[0]) == (0, "ada\tAda")


def test_upgrade_command_upgrades_the_tables_of_a_server(tmp_path: Path):
    close_portal(create_app({"data_dir": tmp_path / "of_server"}))
    folder = outdated(tmp_path / "copy", tmp_path / "of_server")
    secret_key = (folder / "secret_key").read_text()

    results = [
        run_flask("--app", "app", "twindow", command, DATA_DIR=str(folder)).exit_code
        for command in ("twins", "upgrade", "twins")
    ]

    assert results == [1, 0, 0]
    assert (folder / "secret_key").read_text() == secret_key


def run_service(*arguments: str, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run `python -m twindow.service` with these settings only."""
    environment = {name: os.environ[name] for name in os.environ if "TWINDOW" not in name}
    return subprocess.run(
        [sys.executable, "-m", "twindow.service", *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=environment | {f"TWINDOW_{name}": value for name, value in settings.items()},
    )


@pytest.mark.usefixtures("processes")
def test_service_with_no_migrate_refuses_tables_that_are_not_the_newest(tmp_path: Path):
    close_portal(create_app({"data_dir": tmp_path / "of_server"}))
    folder = outdated(tmp_path / "copy", tmp_path / "of_server")
    (folder / "portal.db").replace(folder / "service.db")

    result = run_service("--no-migrate", DATA_DIR=str(folder))

    assert result.returncode == os.EX_CONFIG
    assert result.stderr.count("\n") == 1
    assert "is not up to date: “twindow upgrade”, or a start of the server" in result.stderr


@pytest.mark.usefixtures("processes")
def test_service_command_does_not_create_a_data_folder(tmp_path: Path):
    file = tmp_path / "twindow.env"
    file.write_text(f"TWINDOW_DATA_DIR={tmp_path}/data\n")

    result = run_service("--env-file", str(file), "twins")

    assert result.returncode == os.EX_CONFIG
    assert f"The data folder {tmp_path}/data does not exist." in result.stderr
    assert list(tmp_path.iterdir()) == [file]
