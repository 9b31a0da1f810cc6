"""Machines that share a database have the same secrets."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.postgres import Postgres
from twindow.core.db.database import Database
from twindow.core.db.secret_fingerprints import check_fingerprints
from twindow.core.settings import Settings, SettingsError, load_settings


@pytest.fixture
def database(postgres: Postgres) -> Iterator[Database]:
    database = Database(postgres.create_database())
    yield database
    database.close()


def machine(folder: Path, **values: str) -> Settings:
    """Return the settings of a machine with a data folder of its own."""
    return load_settings({"data_dir": folder} | values)


def test_machine_with_another_secret_is_refused_with_the_name_of_its_setting(
    database: Database, tmp_path: Path
):
    first = machine(tmp_path / "1")
    check_fingerprints(database, first)
    check_fingerprints(database, first)

    with pytest.raises(SettingsError, match=r"^TWINDOW_SECRET_KEY is not the one"):
        check_fingerprints(database, machine(tmp_path / "2"))
    secret_key = first.secret("secret_key")
    with pytest.raises(SettingsError, match=r"^TWINDOW_JWT_SECRET is not the one"):
        check_fingerprints(database, machine(tmp_path / "2", secret_key=secret_key))
    jwt_secret = first.secret("jwt_secret")
    second = machine(tmp_path / "2", secret_key=secret_key, jwt_secret=jwt_secret)
    check_fingerprints(database, second)


def test_new_secrets_can_be_accepted(database: Database, tmp_path: Path):
    check_fingerprints(database, machine(tmp_path / "1"))
    second = machine(tmp_path / "2")
    check_fingerprints(database, second, accept=True)

    check_fingerprints(database, second)
    with pytest.raises(SettingsError):
        check_fingerprints(database, machine(tmp_path / "1"))
