"""The commands `backup`, `restore` and `move`."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
import requests
from click.testing import Result

from accounts import TABLES as ACCOUNT_TABLES
from app import create_app
from chat.conversations import Conversations
from chat.schema import TABLES as CHAT_TABLES
from chat.schema import secret_fingerprints, workers
from core.db.backup_file import Manifest
from core.db.database import Database, metadata
from core.settings import load_settings
from service.access import ApiKeys
from service.schema import TABLES as SERVICE_TABLES
from tests.support.commands import run_flask
from tests.support.history import insert_conversation
from tests.support.person import Person, wait_for_reply
from tests.support.portals import close_portal, create_tables
from tests.support.postgres import Postgres
from tests.support.processes import free_port, run_server
from tests.support.upstream import UPSTREAM_KEY, Upstream

MESSAGE, REPLY = "Why is the sky blue?", "Because of scattering."

Settings = dict[str, Any]

pytestmark = pytest.mark.usefixtures("processes")


@pytest.fixture
def passphrase(tmp_path: Path) -> Path:
    file = tmp_path / "passphrase"
    file.write_text("correct horse battery staple\n")
    return file


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
    """Return a backup without secrets."""
    result = run(used, "backup", str(tmp_path / "backup.zip"))
    assert result.exit_code == 0, result.output
    return tmp_path / "backup.zip"


@contextmanager
def run_portal(settings: Settings) -> Iterator[Person]:
    """Run a server, and yield a visitor."""
    variables = {name.upper(): str(value) for name, value in settings.items()}
    with run_server(variables.pop("DATA_DIR"), "app.py", **variables) as server:
        server.wait_until_ready()
        person = Person(server.url)
        yield person
        person.close()
        server.stop(signal.SIGTERM)


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
def test_moved_portal_finds_and_continues_its_conversations(
    old: str, new: str, settings: Settings, upstream: Upstream, postgres: Postgres
):
    url = {"database_url": postgres.create_database("template0")}
    old_settings = settings | url if old == "postgresql" else settings
    new_settings = settings | url if new == "postgresql" else settings
    with run_portal(old_settings) as person:
        path = start_conversation(person)
        cookies = person.session.cookies
        key = {"Authorization": f"Bearer {create_key(old_settings)}"}
        assert requests.get(f"{person.base_url}/api/v1/twins", headers=key, timeout=10).ok

    result = run(old_settings, "move", "--to", new_settings.get("database_url", "sqlite"))

    assert result.exit_code == 0, result.output
    assert "TWINDOW_DATABASE_URL" in result.output
    with run_portal(new_settings) as person:
        person.session.cookies = cookies
        check_conversation(person, path, upstream)
        # The service counts this request in a row with a new id.
        assert requests.get(f"{person.base_url}/api/v1/twins", headers=key, timeout=10).ok


@pytest.mark.parametrize(("old", "new"), [("sqlite", "postgresql"), ("postgresql", "sqlite")])
def test_restored_portal_finds_and_continues_its_conversations(
    old: str,
    new: str,
    settings: Settings,
    upstream: Upstream,
    postgres: Postgres,
    passphrase: Path,
    tmp_path: Path,
):
    url = {"database_url": postgres.create_database("template0")}
    old_settings = settings | url if old == "postgresql" else settings
    new_settings = (settings | url if new == "postgresql" else settings) | {
        "data_dir": tmp_path / "new"
    }
    file = tmp_path / "backup.zip"
    with run_portal(old_settings) as person:
        path = start_conversation(person)
        cookies = person.session.cookies
        saved = run(old_settings, "backup", file, "--passphrase-file", passphrase)
        assert saved.exit_code == 0, saved.output

    result = run(new_settings, "restore", file, "--passphrase-file", passphrase)

    assert result.exit_code == 0, result.output
    with run_portal(new_settings) as person:
        person.session.cookies = cookies
        check_conversation(person, path, upstream)


def test_backup_is_private_and_contains_secrets_only_with_a_passphrase(
    used: Settings, backup: Path, passphrase: Path, tmp_path: Path
):
    secret = (used["data_dir"] / "secret_key").read_bytes()
    file = tmp_path / "with secrets.zip"

    result = run(used, "backup", file, "--passphrase-file", passphrase)

    assert "The secrets are included" in result.output
    assert backup.stat().st_mode & 0o777 == 0o600
    names = []
    for path in (backup, file):
        with zipfile.ZipFile(path) as archive:
            names.append(set(archive.namelist()))
            assert not any(secret in archive.read(name) for name in archive.namelist())
    assert names[1] - names[0] == {"secrets"}


def test_backup_without_secrets_says_what_a_restored_portal_lacks(used: Settings, tmp_path: Path):
    result = run(used, "backup", tmp_path / "backup.zip")

    assert "The secrets are not included: unless you copy secret_key" in result.output
    assert "people must sign in again" in result.output


def test_backup_without_secrets_is_restored_without_them(
    used: Settings, backup: Path, tmp_path: Path
):
    new_settings = used | {"data_dir": tmp_path / "new"}

    result = run(new_settings, "restore", backup)

    assert "The secrets were not restored" in result.output
    assert {path.suffix for path in new_settings["data_dir"].iterdir()} == {".db", ""}
    assert count_conversations(new_settings) == 1


@pytest.mark.parametrize("database", ["sqlite", "postgresql"])
def test_backup_is_restored_into_tables_without_rows(
    database: str,
    used: Settings,
    backup: Path,
    sqlite_template: Path,
    request: pytest.FixtureRequest,
):
    secrets = list_files(used["data_dir"])["secret_key"]
    if database == "postgresql":
        postgres: Postgres = request.getfixturevalue("postgres")
        used |= {"database_url": postgres.create_database()}
    for name in ("portal.db", "service.db"):
        shutil.copy(sqlite_template, used["data_dir"] / name)

    result = run(used, "restore", backup)

    assert result.exit_code == 0, result.output
    assert list_files(used["data_dir"])["secret_key"] == secrets
    assert count_conversations(used) == 1


def test_backup_does_not_overwrite_a_file(used: Settings, tmp_path: Path):
    file = tmp_path / "backup.zip"
    file.write_text("precious")

    result = run(used, "backup", file)

    assert (result.exit_code, result.stderr) == (1, f"Error: {file} exists already.\n")
    assert file.read_text() == "precious"
    assert {path.name for path in tmp_path.iterdir()} == {"data", "twins", "backup.zip"}


def test_restore_of_secrets_needs_the_passphrase_or_a_decision(
    used: Settings, passphrase: Path, tmp_path: Path
):
    file = tmp_path / "backup.zip"
    run(used, "backup", file, "--passphrase-file", passphrase)
    new_settings = used | {"data_dir": tmp_path / "new"}

    refused = run(new_settings, "restore", file)
    assert refused.stderr.startswith("Error: The backup contains secrets: give --passphrase-file")
    assert run(new_settings, "restore", file, "--without-secrets").exit_code == 0


def test_restore_names_a_secret_that_a_setting_replaces(
    used: Settings, passphrase: Path, tmp_path: Path
):
    file = tmp_path / "backup.zip"
    run(used, "backup", file, "--passphrase-file", passphrase)
    new_settings = used | {"data_dir": tmp_path / "new", "secret_key": "s" * 32}
    result = run(new_settings, "restore", file, "--passphrase-file", passphrase)

    assert "TWINDOW_SECRET_KEY is set: the restored secret_key is not used." in result.output


def test_restore_refuses_a_wrong_passphrase(used: Settings, passphrase: Path, tmp_path: Path):
    file = tmp_path / "backup.zip"
    run(used, "backup", file, "--passphrase-file", passphrase)
    passphrase.write_text("incorrect horse")
    new_settings = used | {"data_dir": tmp_path / "new"}

    result = run(new_settings, "restore", file, "--passphrase-file", passphrase)

    assert (result.exit_code, result.stderr) == (1, "Error: The passphrase is wrong.\n")
    assert not new_settings["data_dir"].exists()


def rewrite(backup: Path, **changes: Any) -> None:
    """Change fields of the manifest of a backup."""
    with zipfile.ZipFile(backup) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    manifest = msgspec.json.decode(members["manifest.json"], type=Manifest)
    members["manifest.json"] = msgspec.json.encode(msgspec.structs.replace(manifest, **changes))
    with zipfile.ZipFile(backup, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)


def test_restore_refuses_a_backup_of_a_newer_version(used: Settings, backup: Path, tmp_path: Path):
    rewrite(backup, versions={"portal": "9999", "service": "0100"})
    new_settings = used | {"data_dir": tmp_path / "new"}

    result = run(new_settings, "restore", backup)

    assert result.exit_code == 1
    assert "has version 9999 of the tables of the portal, but this program supports only 0100" in (
        result.stderr
    )
    assert not new_settings["data_dir"].exists()


def damage_byte(backup: Path) -> None:
    content = bytearray(backup.read_bytes())
    content[len(content) // 2] ^= 1
    backup.write_bytes(content)


def cut_off(backup: Path) -> None:
    os.truncate(backup, backup.stat().st_size // 2)


@pytest.mark.parametrize(
    "damage",
    [
        damage_byte,
        cut_off,
        lambda backup: rewrite(backup, hashes={"portal.db": "0", "service.db": "0"}),
        lambda backup: rewrite(backup, row_counts={"conversations": 2}),
    ],
    ids=["byte", "end", "hashes", "rows"],
)
def test_restore_refuses_a_damaged_file_and_writes_nothing(
    damage: Any, used: Settings, backup: Path, tmp_path: Path
):
    damage(backup)
    new_settings = used | {"data_dir": tmp_path / "new"}

    result = run(new_settings, "restore", backup)

    assert result.exit_code == 1
    assert result.stderr.startswith(f"Error: {backup} ")
    assert result.stderr.count("\n") == 1
    assert not new_settings["data_dir"].exists()


def test_restore_refuses_a_portal_with_rows(used: Settings, backup: Path):
    before = list_files(used["data_dir"])

    result = run(used, "restore", backup)

    assert result.exit_code == 1
    assert "portal.db has rows in the table conversations, but it must be empty." in result.stderr
    assert list_files(used["data_dir"]) == before


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
    copied = {*ACCOUNT_TABLES, *CHAT_TABLES, *SERVICE_TABLES}

    others = {workers, secret_fingerprints}
    assert set(metadata.tables.values()) - copied == others
