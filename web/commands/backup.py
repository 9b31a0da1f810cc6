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
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from urllib.parse import quote

import click
from sqlalchemy import URL, make_url

from core.db.database import Database
from core.db.table_copy import CopyRefused, Schema, Source
from core.settings import ENV_PREFIX, Settings, prepare_data_dir
from web.commands.move import report_errors

SECRET_FILES = ("jwt_secret", "portal_key", "secret_key")
# What pg_dump writes: the tables of the portal and of the service.
DUMP = "database.dump"
# For `sha256sum --check`.
CHECKSUMS = "SHA256SUMS"
UNFINISHED_PREFIX = ".twindow-unfinished-"
# During a long statement, SQLite lets Python handle signals after so many of its instructions.
INSTRUCTIONS_BETWEEN_SIGNALS = 100_000
SECRETS_INCLUDED = (
    "The secrets lie beside the data: whoever can read the folder can read all conversations and "
    "sign in as anybody. Encrypt it before it leaves this machine."
)
NO_SECRETS = (
    "The backup has no secrets: people must sign in again, and visitors lose their conversations, "
    "unless you set TWINDOW_SECRET_KEY to the old one before the first start."
)
NO_PERMISSIONS = "This file system has no permissions: whoever can read the disk can read the copy."


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
                raise CopyRefused(f"{folder.parent} is no folder: create it first.")
            is_replaceable = not (folder.is_symlink() or folder.is_mount()) and folder.is_dir()
            if os.path.lexists(folder) and not (is_replaceable and not any(folder.iterdir())):
                raise CopyRefused(f"{folder} is no empty folder of its own: name a new one.")
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
            _verify_checksums(folder)
            # SQLite would apply a left -wal file to the restored database.
            logs = [path.with_name(f"{path.name}-wal") for path in databases]
            names = [settings.data_dir / name for name in SECRET_FILES]
            for path in (*databases, *logs, *names):
                if os.path.lexists(path):
                    raise CopyRefused(f"{path} exists already: restore into a new data folder.")
            prepare_data_dir(settings.data_dir)
            secrets = [settings.data_dir / path.name for path in _existing(folder, SECRET_FILES)]
            with _unfinished_folder(settings.data_dir) as unfinished:
                for path in {*databases, *secrets}:
                    _copy_private(folder / path.name, unfinished / path.name)
                for path, schema in zip(databases, schemas, strict=False):
                    _check_database(unfinished / path.name, schema)
                if is_dump:
                    options = "--no-owner --no-privileges --exit-on-error --single-transaction"
                    _run("pg_restore", *options.split(), "--dbname", url=urls[0], folder=folder)
                for path in {*databases, *secrets}:
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

    Also removes the folders of killed commands: those that nobody has locked.
    """
    signals = (signal.SIGTERM, signal.SIGHUP)
    handlers = [
        signal.signal(number, lambda number, _: sys.exit(128 + number)) for number in signals
    ]
    try:
        for left in parent.glob(f"{UNFINISHED_PREFIX}*"):
            with suppress(OSError), _lock(left):
                shutil.rmtree(left)
        folder = Path(tempfile.mkdtemp(dir=parent, prefix=UNFINISHED_PREFIX))
        try:
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


def _check_database(path: Path, schema: Schema) -> None:
    """Raise CopyRefused if an SQLite database is damaged. Upgrade the tables of older versions."""
    with closing(Database(f"sqlite:///{quote(str(path))}")) as database:
        with database.read() as connection:
            if connection.exec_driver_sql("PRAGMA integrity_check(1)").scalar() != "ok":
                raise CopyRefused(f"{path.name} is damaged: use another backup.")
        schema.migrate(database)


def _run(program: str, *options: str, url: URL, folder: Path) -> None:
    """Run a program of PostgreSQL in a folder. Raises CopyRefused with the command line."""
    address = url.set(drivername="postgresql", password=None).render_as_string()
    command = [program, *options, address, *([DUMP] if program == "pg_restore" else [])]
    environment = os.environ | ({"PGPASSWORD": url.password} if url.password else {})
    try:
        process = subprocess.run(  # noqa: S603
            command, cwd=folder, env=environment, stderr=subprocess.PIPE, text=True, check=False
        )
        reason = process.stderr.strip() or f"it ended with {process.returncode}"
        if process.returncode == 0:
            return
    except FileNotFoundError:
        reason = "it is not installed"
    raise CopyRefused(
        f"{program} failed: {reason}\nRun it where it is at least as new as the server:\n"
        f"{shlex.join(command)}"
    )


def _require_databases(folder: Path, expected: set[str]) -> None:
    names = {
        path.name
        for path in folder.iterdir()
        if path.name == DUMP or (path.suffix in (".db", ".db-wal") and path.stat().st_size)
    }
    if names != expected:
        found = " and ".join(sorted(names)) or "no database"
        raise CopyRefused(
            f"{folder} has {found}, but this portal needs {' and '.join(sorted(expected))}: check "
            "TWINDOW_DATABASE_URL and TWINDOW_API_URL."
        )


def _write_checksums(folder: Path, names: Iterable[str]) -> None:
    with _create_private(folder / CHECKSUMS) as file:
        file.writelines(f"{_hash(folder / name)}  {name}\n".encode() for name in names)


def _verify_checksums(folder: Path) -> None:
    """Raise CopyRefused if a file differs. A backup that was made by hand has no checksums."""
    path = folder / CHECKSUMS
    for line in path.read_text().splitlines() if path.exists() else ():
        expected, _, name = line.partition("  ")
        if _hash(folder / name) != expected:
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
