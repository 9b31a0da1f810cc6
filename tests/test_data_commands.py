"""The commands `backup`, `restore` and `move`."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
import requests
from click.testing import Result
from psycopg.errors import DuplicateObject
from sqlalchemy import make_url

from tests.support.commands import run_flask
from tests.support.history import insert_conversation
from tests.support.person import Person, wait_for_reply
from tests.support.portals import close_portal, create_tables, serve
from tests.support.postgres import Postgres
from tests.support.processes import START_SECONDS, free_port
from tests.support.upstream import UPSTREAM_KEY, Upstream
from tests.support.waiting import poll_until
from twindow.application import Twindow, create_app
from twindow.chat.conversations import Conversations
from twindow.chat.schema import workers
from twindow.core.db.database import Database
from twindow.core.db.metadata import metadata
from twindow.core.db.secret_fingerprints import secret_fingerprints
from twindow.core.settings import load_settings
from twindow.paths import ROOT
from twindow.service.credentials import ApiKeys
from twindow.service.schema import TABLES as SERVICE_TABLES
from twindow.web.container import SCHEMA as PORTAL_SCHEMA

MESSAGE, REPLY = "Why is the sky blue?", "Because of scattering."

Settings = dict[str, Any]

pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture
def settings(tmp_path: Path, upstream: Upstream) -> Settings:
    """Return the settings of a portal with the embedded service."""
    upstream.always_reply(REPLY)
    twins = tmp_path / "twins"
    twins.mkdir()
    (twins / "ada.md").write_text("---\nname: Ada\n---\nYou explain how things work.\n")
    model = {"model_url": f"{upstream.url}/v1", "model": "test", "twins_dir": twins}
    return {"data_dir": tmp_path / "data", "port": free_port(), **model}


@pytest.fixture
def used(settings: Settings) -> Settings:
    """Return the settings of a portal that has been used and stopped."""
    settings["data_dir"].mkdir()
    for name in ("portal", "service"):
        url = load_settings(settings).database_url_for(name)
        create_tables(url)
        with closing(Database(url)) as database:
            insert_conversation(database, "anna", 1)
    for name in ("secret_key", "jwt_secret", "portal_key"):
        (settings["data_dir"] / name).write_text(f"the {name}")
    return settings


@pytest.fixture
def backup(used: Settings, tmp_path: Path) -> Path:
    result = run(used, "backup", tmp_path / "backup")
    assert result.exit_code == 0, result.output
    return tmp_path / "backup"


@contextmanager
def run_portal(settings: Settings) -> Iterator[Person]:
    """Run a portal with its service, and yield a visitor."""
    twindow = Twindow(load_settings(settings))
    with serve(twindow, settings["port"]) as url, closing(Person(url)) as person:
        yield person
    twindow.close()
    close_portal(twindow.app)
    twindow.disconnect()


def run(settings: Settings, *arguments: object) -> Result:
    variables = {name.upper(): value for name, value in settings.items()}
    return run_flask("--app", "app", "twindow", *map(str, arguments), **variables)


def start_conversation(person: Person) -> str:
    """Start a conversation, and return the path of its page."""
    page = wait_for_reply(person, person.start_conversation(MESSAGE))
    assert page.reply_states == ["complete"]
    return page.path


def check_conversation(person: Person, path: str, upstream: Upstream) -> None:
    """Find the old conversation by its reply, and continue it."""
    found = person.get("/conversations?q=scattering").html.select_one('main a[href*="#"]')
    assert found is not None
    assert str(found["href"]).startswith(path)
    page = person.get(path)
    assert MESSAGE in page.text
    assert REPLY in page.text

    page = wait_for_reply(person, person.press(page, "Send", content="Thank you"))

    assert page.reply_states == ["complete", "complete"]
    sent = [message["content"] for message in upstream.calls[-1].body["messages"]]
    assert sent[-3:] == [MESSAGE, REPLY, "Thank you"]


def create_key(settings: Settings) -> str:
    """Return an API key of the service, whose requests are counted."""
    with closing(Database(load_settings(settings).database_url_for("service"))) as database:
        return ApiKeys(database).create("Anna", "test", "read_only")[1]


def count_conversations(settings: Settings) -> int:
    with closing(Database(load_settings(settings).database_url_for("portal"))) as database:
        return len(Conversations(database).list_recent("anna"))


def list_files(folder: Path) -> Mapping[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize(("old", "new"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_backup_of_a_running_portal_is_restored_elsewhere_and_moved_with_its_sign_ins(
    old: str, new: str, settings: Settings, upstream: Upstream, postgres: Postgres, tmp_path: Path
):
    elsewhere = {"data_dir": tmp_path / "new"}
    first = settings | create_database(old, postgres)
    restored = settings | elsewhere | create_database(old, postgres)
    moved = settings | elsewhere | create_database(new, postgres)
    with run_portal(first) as person:
        path = start_conversation(person)
        cookies = person.session.cookies
        key = {"Authorization": f"Bearer {create_key(first)}"}
        assert requests.get(f"{person.base_url}/api/v1/twins", headers=key, timeout=10).ok
        results = [run(first, "backup", tmp_path / "backup")]

    results.append(run(restored, "restore", tmp_path / "backup"))
    results.append(run(restored, "move", "--to", moved.get("database_url", "sqlite")))

    output = "".join(result.output for result in results)
    assert [result.exit_code for result in results] == [0, 0, 0], output
    assert "TWINDOW_DATABASE_URL" in results[-1].output
    with run_portal(moved) as person:
        person.session.cookies = cookies
        check_conversation(person, path, upstream)
        assert requests.get(f"{person.base_url}/api/v1/twins", headers=key, timeout=10).ok


def create_database(kind: str, postgres: Postgres) -> Settings:
    """Return the setting of a new database, whose URL has a password if it is PostgreSQL."""
    if kind == "sqlite":
        return {}
    with suppress(DuplicateObject):
        postgres.execute("CREATE ROLE betty LOGIN SUPERUSER PASSWORD 'p@ss'")
    name = make_url(postgres.create_database("template0")).database
    return {"database_url": f"postgresql+psycopg://betty:p%40ss@127.0.0.1:{postgres.port}/{name}"}


def test_backup_has_databases_and_secrets_that_only_its_owner_can_read(
    used: Settings, tmp_path: Path
):
    folder = tmp_path / "backup"
    folder.mkdir()

    result = run(used, "backup", folder)

    assert "The folder contains the secrets" in result.output
    names = {"portal.db", "service.db", "jwt_secret", "portal_key", "secret_key"}
    assert {path.name for path in folder.iterdir()} == {*names, "SHA256SUMS"}
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in folder.iterdir()} == {0o600}
    assert (folder / "secret_key").read_text() == "the secret_key"


def test_backup_writes_no_file_into_a_folder_that_is_not_empty(used: Settings, tmp_path: Path):
    folder = tmp_path / "backup"
    folder.mkdir()
    (folder / "notes").write_text("precious")

    result = run(used, "backup", folder)

    assert (result.exit_code, result.stderr) == (
        1,
        f"Error: {folder} is not an empty folder: name a new one.\n",
    )
    assert list_files(folder) == {"notes": b"precious"}
    assert {path.name for path in tmp_path.iterdir()} == {"data", "twins", "backup"}


@pytest.mark.parametrize(
    "number", [signal.SIGTERM, pytest.param(signal.SIGHUP, marks=pytest.mark.nightly)]
)
def test_backup_that_is_terminated_leaves_nothing(
    number: signal.Signals, tmp_path: Path, upstream: Upstream
):
    with start_blocked_backup(tmp_path, upstream) as process:
        process.send_signal(number)

        assert process.wait(20) == 128 + number
        assert {path.name for path in tmp_path.iterdir()} == {"data"}


def test_backup_removes_what_killed_ones_have_left_and_nothing_else(
    used: Settings, tmp_path: Path, upstream: Upstream
):
    (tmp_path / "other").mkdir()
    with start_blocked_backup(tmp_path / "other", upstream) as process:
        run(used, "backup", tmp_path / "other" / "first")
        [running] = (tmp_path / "other").glob(".twindow*")
        process.kill()
        process.wait(20)

        run(used, "backup", tmp_path / "other" / "second")

    assert not running.exists()
    assert {path.name for path in (tmp_path / "other").iterdir()} == {"data", "first", "second"}


@contextmanager
def start_blocked_backup(folder: Path, upstream: Upstream) -> Iterator[subprocess.Popen[bytes]]:
    """Run a backup that has copied the database and waits for a secret, which is a FIFO."""
    settings = {"data_dir": folder / "data", "api_url": upstream.url, "api_key": UPSTREAM_KEY}
    close_portal(create_app(settings))
    os.mkfifo(folder / "data" / "jwt_secret")
    variables = {f"TWINDOW_{name.upper()}": str(value) for name, value in settings.items()}
    command = (sys.executable, "-m", "flask", "--app", "app", "twindow", "backup")
    with subprocess.Popen(
        (*command, folder / "backup"), env=os.environ | variables, cwd=ROOT, stderr=subprocess.PIPE
    ) as process:
        poll_until(lambda: any(folder.glob(".twindow*/portal.db")), START_SECONDS)
        try:
            yield process
        finally:
            process.kill()


def test_backup_of_postgresql_without_pg_dump_prints_the_line_to_run(
    used: Settings, postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    url = postgres.create_database().replace("twindow@", "twindow:hidden@")
    create_tables(url)
    monkeypatch.setenv("PATH", str(tmp_path))

    result = run(used | {"database_url": url}, "backup", tmp_path / "backup")

    assert result.exit_code == 1
    assert "pg_dump failed: it is not installed" in result.stderr
    assert "\npg_dump --format=custom --file=database.dump '--dbname=dbname=" in result.stderr
    assert "hidden" not in result.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"data", "twins"}


def test_backup_of_a_database_with_a_name_of_its_own_is_restored(used: Settings, tmp_path: Path):
    old, new = (
        {"database_url": f"sqlite:///{tmp_path}/{name}/chat.sqlite3"} for name in ("a", "b")
    )
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    create_tables(old["database_url"])

    saved = run(used | old, "backup", tmp_path / "backup")
    restored = run(used | new | {"data_dir": tmp_path / "new"}, "restore", tmp_path / "backup")

    assert (saved.exit_code, restored.exit_code) == (0, 0), saved.output + restored.output
    assert (tmp_path / "b" / "chat.sqlite3").exists()


def test_backup_fails_if_pg_dump_is_killed(
    used: Settings, postgres: Postgres, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    url = {"database_url": postgres.create_database()}
    program = tmp_path / "bin" / "pg_dump"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho half > database.dump\nkill -9 $$\n")
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    result = run(used | url, "backup", tmp_path / "backup")

    assert "pg_dump failed: it ended with -9" in result.stderr
    assert not (tmp_path / "backup").exists()


def test_backup_of_a_portal_without_secret_files_says_so_when_it_is_restored(
    used: Settings, tmp_path: Path
):
    for name in ("secret_key", "jwt_secret", "portal_key"):
        (used["data_dir"] / name).unlink()
    secrets = {"secret_key": "s" * 32, "jwt_secret": "j" * 32}

    saved = run(used | secrets, "backup", tmp_path / "backup")
    restored = run(used | {"data_dir": tmp_path / "new"}, "restore", tmp_path / "backup")

    assert "secrets" not in saved.output
    assert "The backup has no secrets: people must sign in again" in restored.output


def test_failed_restore_of_postgresql_names_the_reason_and_writes_nothing(
    used: Settings, postgres: Postgres, tmp_path: Path
):
    url = {"database_url": postgres.create_database()}
    assert run(used | url, "backup", tmp_path / "backup").exit_code == 0
    new_settings = used | url | {"data_dir": tmp_path / "new"}

    result = run(new_settings, "restore", tmp_path / "backup")

    assert result.exit_code == 1
    assert "already exists" in result.stderr
    assert list_files(tmp_path / "new").keys() <= {".gitignore"}


def test_restore_names_a_secret_that_a_setting_replaces(
    used: Settings, backup: Path, tmp_path: Path
):
    new_settings = used | {"data_dir": tmp_path / "new", "secret_key": "s" * 32}

    result = run(new_settings, "restore", backup)

    assert "TWINDOW_SECRET_KEY is set: the restored secret_key is not used." in result.output
    assert count_conversations(new_settings) == 1


def damage_byte(backup: Path) -> None:
    content = bytearray((backup / "portal.db").read_bytes())
    content[len(content) // 2] ^= 1
    (backup / "portal.db").write_bytes(content)


def cut_off(backup: Path) -> None:
    """Damage a backup that was made by hand, without checksums."""
    (backup / "SHA256SUMS").unlink()
    os.truncate(backup / "service.db", (backup / "service.db").stat().st_size // 2)


def make_newer(backup: Path) -> None:
    (backup / "SHA256SUMS").unlink()
    with closing(sqlite3.connect(backup / "portal.db")) as database:
        database.execute("UPDATE alembic_version SET version_num = '9999'")
        database.commit()


def remove_database(backup: Path) -> None:
    (backup / "portal.db").unlink()


def replace_database(backup: Path) -> None:
    (backup / "SHA256SUMS").unlink()
    (backup / "portal.db").unlink()
    with closing(sqlite3.connect(backup / "portal.db")) as database:
        database.execute("CREATE TABLE of_another_program (id TEXT)")


def empty_checksums(backup: Path) -> None:
    (backup / "SHA256SUMS").write_bytes(b"\xff\0\n")


def add_log(backup: Path) -> None:
    """Do as if the files had been copied by hand from a running portal."""
    (backup / "portal.db-wal").write_bytes(b"newer rows")


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (damage_byte, "portal.db is damaged: use another backup."),
        (cut_off, "database disk image is malformed"),
        (make_newer, "has version 9999, but this program supports only 0103"),
        (remove_database, "has service.db, but this portal needs portal.db and service.db"),
        (replace_database, "portal.db is damaged, or not a database of the portal."),
        (empty_checksums, " is damaged: use another backup."),
        (add_log, "has portal.db and portal.db-wal and service.db, but this portal needs"),
    ],
)
def test_restore_refuses_a_damaged_or_newer_backup_and_writes_nothing(
    damage: Any, reason: str, used: Settings, backup: Path, tmp_path: Path
):
    damage(backup)
    new_settings = used | {"data_dir": tmp_path / "new"}

    result = run(new_settings, "restore", backup)

    assert result.exit_code == 1
    assert reason in result.stderr
    assert result.stderr.count("\n") == 1
    assert not (tmp_path / "new").exists() or list_files(tmp_path / "new").keys() == {".gitignore"}


def test_restore_refuses_a_backup_of_the_other_kind_of_database(
    used: Settings, backup: Path, postgres: Postgres, tmp_path: Path
):
    url = {"database_url": postgres.create_database("template0")}

    result = run(used | url | {"data_dir": tmp_path / "new"}, "restore", backup)

    assert "has portal.db and service.db, but this portal needs database.dump" in result.stderr


@pytest.mark.parametrize("name", ["portal.db", "service.db-wal", "secret_key"])
def test_restore_replaces_neither_databases_nor_secrets(
    name: str, used: Settings, backup: Path, tmp_path: Path
):
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / name).symlink_to(tmp_path / "elsewhere")

    result = run(used | {"data_dir": tmp_path / "new"}, "restore", backup)

    path = tmp_path / "new" / name
    assert result.stderr == f"Error: {path} exists already: restore into a new data folder.\n"
    assert not (tmp_path / "elsewhere").exists()


def test_move_refuses_a_target_with_rows(used: Settings, tmp_path: Path):
    target = tmp_path / "target.db"
    with closing(sqlite3.connect(target)) as database:
        database.executescript("CREATE TABLE people (id TEXT); INSERT INTO people VALUES ('anna');")

    result = run(used, "move", "--to", f"sqlite:///{target}")

    assert result.exit_code == 1
    assert f"{target} has rows in the table people" in result.stderr


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_move_refuses_while_a_server_runs(
    database: str,
    upstream: Upstream,
    request: pytest.FixtureRequest,
    tmp_path: Path,
):
    settings = {"data_dir": tmp_path / "data", "api_url": upstream.url, "api_key": UPSTREAM_KEY}
    if database == "postgresql":
        postgres: Postgres = request.getfixturevalue("postgres")
        settings |= {"database_url": postgres.create_database()}
    target = tmp_path / "target.db"

    app = create_app(settings)  # as each worker of a server does
    result = run(settings, "move", "--to", f"sqlite:///{target}")
    close_portal(app)

    assert result.exit_code == 1
    assert result.stderr == "Error: A server uses the database: stop it first.\n"
    assert not target.exists()


def test_copies_contain_all_tables_that_hold_the_data_of_people():
    copied = {*PORTAL_SCHEMA.tables, *SERVICE_TABLES}

    others = {workers, secret_fingerprints}
    assert set(metadata.tables.values()) - copied == others
