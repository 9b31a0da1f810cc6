"""Backups: folders with copies of the SQLite databases, or a dump of PostgreSQL, and secrets."""

from __future__ import annotations

import fcntl
import hashlib
import os
import shlex
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click
from psycopg.conninfo import make_conninfo
from sqlalchemy import URL, make_url

from twindow.core.db.database import Database
from twindow.core.db.table_copy import CopyRefused, Schema, Source
from twindow.core.secrets import new_id
from twindow.core.settings import ENV_PREFIX, Settings, prepare_data_dir
from twindow.web.commands.move import report_errors

SECRET_FILES = ("jwt_secret", "portal_key", "secret_key")
# What pg_dump writes: the tables of the portal and of the service.
DUMP = "database.dump"
# For `sha256sum --check`.
CHECKSUMS = "SHA256SUMS"
HASH_CHARACTERS = 64
UNFINISHED_PREFIX = ".twindow-unfinished-"
# During a long statement, SQLite lets Python handle signals after so many of its instructions.
INSTRUCTIONS_BETWEEN_SIGNALS = 100_000
SECRETS_INCLUDED = (
    "The folder contains the secrets: anyone who can read it can read all conversations and sign "
    "in as anyone. Encrypt it before it leaves this machine."
)
NO_SECRETS = (
    "The backup has no secrets: people must sign in again, and visitors lose their conversations, "
    "unless you set TWINDOW_SECRET_KEY to the old one before the first start."
)
NO_PERMISSIONS = (
    "This file system has no permissions: anyone who can read the disk can read the backup."
)


def create_backup_command(settings: Settings, sources: Sequence[Source]) -> click.Command:
    """Return the command that copies all data to a new folder, while servers may be running."""

    @click.command("backup", help="Copy all data to a new FOLDER; servers may be running.")
    @click.argument("folder", type=click.Path(path_type=Path))
    def backup(folder: Path) -> None:
        folder = folder.absolute()
        # Both schemas may be in one database. The portal comes first: what it knows of the service
        # is then in the later copy, too.
        databases = {database.engine.url: database for _, database in sources}
        with report_errors([database for _, database in sources]):
            if not folder.parent.is_dir():
                raise CopyRefused(f"{folder.parent} is not a folder: create it first.")
            is_replaceable = not (folder.is_symlink() or folder.is_mount()) and folder.is_dir()
            if os.path.lexists(folder) and not (is_replaceable and not any(folder.iterdir())):
                raise CopyRefused(f"{folder} is not an empty folder: name a new one.")
            with _unfinished_folder(folder.parent) as unfinished:
                for database in databases.values():
                    _copy_database(database, unfinished)
                for secret in _existing(settings.data_dir, SECRET_FILES):
                    _copy_private(secret, unfinished / secret.name)
                names = sorted(path.name for path in unfinished.iterdir())
                _write_checksums(unfinished, names)
                has_permissions = unfinished.stat().st_mode & 0o077 == 0
                if folder.exists():
                    folder.rmdir()
                unfinished.rename(folder)
        click.echo(f"Wrote {', '.join(names)} to {folder}.")
        if set(names).intersection(SECRET_FILES):
            click.echo(SECRETS_INCLUDED)
        if not has_permissions:
            click.echo(NO_PERMISSIONS)

    return backup


def create_restore_command(settings: Settings, schemas: Sequence[Schema]) -> click.Command:
    """Return the command that copies a backup into a data folder without databases and secrets."""

    @click.command("restore", help="Copy the FOLDER of a backup into a new data folder.")
    @click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
    def restore(folder: Path) -> None:
        urls = [make_url(settings.database_url_for(schema.name)) for schema in schemas]
        is_dump = urls[0].get_backend_name() == "postgresql"
        databases = [] if is_dump else [Path(url.database or "") for url in urls]
        with report_errors():
            _require_databases(folder, {path.name for path in databases} or {DUMP})
            # SQLite would apply an old -wal file to the restored database.
            logs = [path.with_name(f"{path.name}-wal") for path in databases]
            names = [settings.data_dir / name for name in SECRET_FILES]
            for path in (*databases, *logs, *names):
                if os.path.lexists(path):
                    raise CopyRefused(f"{path} exists already: restore into a new data folder.")
            secrets = [settings.data_dir / path.name for path in _existing(folder, SECRET_FILES)]
            targets = dict.fromkeys((*databases, *secrets))
            _verify_checksums(
                folder, {path.name for path in targets} | ({DUMP} if is_dump else set())
            )
            prepare_data_dir(settings.data_dir)
            with _unfinished_folder(settings.data_dir) as unfinished:
                for path in targets:
                    _copy_private(folder / path.name, unfinished / path.name)
                if is_dump:
                    options = "--no-owner --no-privileges --exit-on-error --single-transaction"
                    _run("pg_restore", *options.split(), DUMP, url=urls[0], folder=folder)
                for url, schema in zip(urls, schemas, strict=True):
                    copied = url.set(database=str(unfinished / Path(url.database or "").name))
                    _check_database(url if is_dump else copied, schema)
                for path in targets:
                    shutil.move(unfinished / path.name, path)
        click.echo(f"Restored {folder}.")
        if not (secrets or settings.secret_key):
            click.echo(NO_SECRETS)
        for secret in secrets:
            if getattr(settings, secret.name, None):
                setting = f"{ENV_PREFIX}_{secret.name.upper()}"
                click.echo(f"{setting} is set: the restored {secret.name} is not used.")

    return restore


@contextmanager
def _unfinished_folder(parent: Path) -> Iterator[Path]:
    """Create a private folder, and remove it at the end, also after SIGTERM and SIGHUP.

    Also removes the folders that killed commands have left: those without a lock.
    """
    signals = (signal.SIGTERM, signal.SIGHUP)
    handlers = [
        signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in signals
    ]
    try:
        for left in parent.glob(f"{UNFINISHED_PREFIX}*"):
            with suppress(OSError), _lock(left):
                shutil.rmtree(left)
        # Named first, so that a signal after its creation finds it.
        folder = parent / f"{UNFINISHED_PREFIX}{new_id(8)}"
        try:
            folder.mkdir(mode=0o700)
            with _lock(folder):
                yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    finally:
        for number, handler in zip(signals, handlers, strict=True):
            signal.signal(number, handler)


@contextmanager
def _lock(folder: Path) -> Iterator[None]:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _copy_database(database: Database, folder: Path) -> None:
    """Copy a database as it is at one moment, while others use it."""
    url = database.engine.url
    if not database.is_sqlite:
        _run("pg_dump", "--format=custom", f"--file={DUMP}", url=url, folder=folder)
        return
    path = folder / Path(url.database or "").name
    _create_private(path).close()
    with closing(sqlite3.connect(url.database or "")) as connection:
        connection.set_progress_handler(lambda: 0, INSTRUCTIONS_BETWEEN_SIGNALS)
        try:
            connection.execute("VACUUM INTO ?", (str(path),))
        except sqlite3.OperationalError as error:
            if str(error) == "interrupted":  # by a signal
                raise click.Abort from None
            raise


def _check_database(url: URL, schema: Schema) -> None:
    """Raise CopyRefused if a database is damaged or foreign. Upgrade tables of older versions."""
    with closing(Database(url.render_as_string(hide_password=False))) as database:
        with database.read() as connection:
            is_whole = not database.is_sqlite or (
                connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar() == "ok"
            )
            if not (is_whole and connection.dialect.has_table(connection, schema.version_table)):
                name = database.engine.url.database
                raise CopyRefused(f"{name} is damaged, or not a database of the {schema.name}.")
        schema.migrate(database)


def _run(program: str, *options: str, url: URL, folder: Path) -> None:
    """Run a program of PostgreSQL in a folder. Raises CopyRefused with the command line."""
    _, parameters = url.get_dialect()().create_connect_args(url)
    # Other programs can see a command line, but not its environment.
    password = parameters.pop("password", None)
    environment = os.environ | ({"PGPASSWORD": str(password)} if password else {})
    command = [program, *options, f"--dbname={make_conninfo(**parameters)}"]
    try:
        process = subprocess.run(  # noqa: S603
            command,
            cwd=folder,
            env=environment,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        reason = process.stderr.strip() or f"it ended with {process.returncode}"
        if process.returncode == 0:
            return
    except FileNotFoundError:
        reason = "it is not installed"
    raise CopyRefused(
        f"{program} failed: {reason}\nThe line to run, with a version as new as the server:\n"
        f"{shlex.join(command)}"
    )


def _require_databases(folder: Path, expected: set[str]) -> None:
    """Raise CopyRefused unless a folder has these databases, and no others or logs of them."""
    names = {
        path.name
        for path in folder.iterdir()
        if path.name in {DUMP, *expected} or path.suffix == ".db"
    }
    names |= {path.name for path in folder.glob("*-wal") if path.stat().st_size}
    if names != expected:
        found = " and ".join(sorted(names)) or "no database"
        raise CopyRefused(
            f"{folder} has {found}, but this portal needs {' and '.join(sorted(expected))}: check "
            "TWINDOW_DATABASE_URL and TWINDOW_API_URL."
        )


def _write_checksums(folder: Path, names: Iterable[str]) -> None:
    with _create_private(folder / CHECKSUMS) as file:
        file.writelines(f"{_hash(folder / name)}  {name}\n".encode() for name in names)


def _verify_checksums(folder: Path, names: Iterable[str]) -> None:
    """Raise CopyRefused if a file differs. A backup that was made by hand has no checksums."""
    path = folder / CHECKSUMS
    if not path.exists():
        return
    lines = path.read_text(errors="replace").splitlines()
    # A hash, two characters, and the name.
    expected = {line[HASH_CHARACTERS + 2 :]: line[:HASH_CHARACTERS] for line in lines}
    for name in names:
        if _hash(folder / name) != expected.get(name):
            raise CopyRefused(f"{folder / name} is damaged: use another backup.")


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _existing(folder: Path, names: Iterable[str]) -> list[Path]:
    return [folder / name for name in names if (folder / name).exists()]


def _copy_private(source: Path, target: Path) -> None:
    with source.open("rb") as file, _create_private(target) as copy:
        shutil.copyfileobj(file, copy)


def _create_private(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb")
