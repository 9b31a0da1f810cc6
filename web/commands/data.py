"""Commands that copy all data: to a file, from a file, and to another database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import click
import msgspec
from sqlalchemy.exc import DBAPIError

from core.clock import Clock
from core.db.backup_file import open_backup, write_backup
from core.db.database import Database, DatabaseUnavailable
from core.db.migrations import UnsupportedDatabase
from core.db.table_copy import CopyRefused, Schema, Source, copy_databases, require_empty
from core.secrets import write_private_file
from core.settings import ENV_PREFIX, Settings, SettingsError, check_constraints, prepare_data_dir
from web.commands.passphrase import WrongPassphrase, decrypt, encrypt

SECRET_FILES = ("secret_key", "jwt_secret", "portal_key")
FILES_OF_DATA_FOLDER = "sqlite"
WITHOUT_SECRETS = (
    "The secrets are not included: unless you copy {} from the data folder yourself, people must "
    "sign in again in a restored portal, visitors lose access to their conversations, and JWTs "
    "are no longer valid."
)
SECRETS_NOT_RESTORED = (
    "The secrets were not restored: people must sign in again, visitors lose access to their "
    "conversations, and JWTs are no longer valid, unless you copy the secrets into the data folder "
    "before you start the server."
)

_passphrase_option = click.option(
    "--passphrase-file",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="File with the passphrase of the secrets in the backup.",
)


def create_backup_command(
    settings: Settings, sources: Sequence[Source], clock: Clock
) -> click.Command:
    """Return the command that writes all data to a new file, while servers may be running."""

    @click.command("backup", help="Write all data to a new FILE; servers may be running.")
    @click.argument("file", type=click.Path(path_type=Path))
    @_passphrase_option
    def backup(file: Path, passphrase_file: Path | None) -> None:
        with _use([database for _, database in sources]):
            secrets = None
            if passphrase_file:
                secrets = encrypt(
                    _read_secrets(settings.data_dir), _read_passphrase(passphrase_file)
                )
            made_at = datetime.fromtimestamp(clock.time(), UTC).isoformat(timespec="seconds")
            try:
                manifest = write_backup(file, sources, made_at=made_at, secrets=secrets)
            except FileExistsError:
                raise CopyRefused(f"{file} exists already.") from None
        click.echo(f"Wrote {_describe(manifest.row_counts)} to {file}.")
        click.echo(
            WITHOUT_SECRETS.format(", ".join(SECRET_FILES))
            if secrets is None
            else "The secrets are included and encrypted: keep the passphrase."
        )

    return backup


def create_restore_command(
    settings: Settings, schemas: Sequence[Schema], databases: Sequence[Database] = ()
) -> click.Command:
    """Return the command that reads all data from a file into empty databases.

    `databases` are those to which this process has connections.
    """

    @click.command("restore", help="Read all data of a backup into an empty portal.")
    @click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
    @_passphrase_option
    @click.option("--without-secrets", is_flag=True, help="Leave the secrets in the backup.")
    def restore(file: Path, passphrase_file: Path | None, *, without_secrets: bool) -> None:
        with _use(databases), open_backup(file, schemas) as backup:
            secrets: Mapping[str, str] = {}
            if backup.secrets and not (passphrase_file or without_secrets):
                raise CopyRefused(
                    "The backup contains secrets: give --passphrase-file, or --without-secrets."
                )
            if passphrase_file:
                if backup.secrets is None:
                    raise CopyRefused(f"{file} contains no secrets.")
                data = decrypt(backup.secrets, _read_passphrase(passphrase_file))
                secrets = msgspec.json.decode(data, type=dict[str, str])
            for name in secrets:
                if (settings.data_dir / name).exists():
                    raise CopyRefused(f"The data folder contains {name} already.")
            for database in databases:
                database.close()
            for schema in schemas:
                require_empty(schema, settings.database_url_for(schema.name))
            prepare_data_dir(settings.data_dir)
            counts = copy_databases(backup.sources, settings.database_url_for)
            for name, value in secrets.items():
                write_private_file(settings.data_dir / name, value)
        click.echo(f"Restored {_describe(counts)}, as of {backup.manifest.made_at}.")
        if not secrets:
            click.echo(SECRETS_NOT_RESTORED)
        for name in secrets:
            if getattr(settings, name, None):
                click.echo(f"{ENV_PREFIX}_{name.upper()} is set: the restored {name} is not used.")

    return restore


def create_move_command(settings: Settings, sources: Sequence[Source]) -> click.Command:
    """Return the command that copies all data to an empty database."""

    @click.command("move", help="Copy all data to another database; stop the server first.")
    @click.option(
        "--to",
        "url",
        required=True,
        metavar="URL",
        help="Value of TWINDOW_DATABASE_URL, or sqlite for files in the data folder.",
    )
    def move(url: str) -> None:
        new_url = None if url == FILES_OF_DATA_FOLDER else url
        databases = [database for _, database in sources]
        with _use(databases):
            target = msgspec.structs.replace(settings, database_url=new_url)
            check_constraints(target)
            for database in databases:
                database.close()
            for database in databases:
                if database.is_in_use():
                    raise CopyRefused("A server uses the database: stop it first.")
            for schema, _ in sources:
                require_empty(schema, target.database_url_for(schema.name))
            counts = copy_databases(sources, target.database_url_for)
        click.echo(f"Copied {_describe(counts)}. The old database is unchanged.")
        click.echo(
            "Set TWINDOW_DATABASE_URL to the URL that you gave with --to, and start the server."
            if new_url
            else "Remove TWINDOW_DATABASE_URL from the settings, and start the server."
        )
        click.echo(f"The secrets stay in {settings.data_dir.resolve()}: keep this folder.")

    return move


@contextmanager
def _use(databases: Sequence[Database]) -> Iterator[None]:
    """Close the databases at the end. Convert expected errors to ClickException.

    Flask prints a ClickException as one sentence.
    """
    try:
        yield
    except WrongPassphrase:
        raise click.ClickException("The passphrase is wrong.") from None
    except (CopyRefused, DatabaseUnavailable, UnsupportedDatabase, SettingsError) as error:
        raise click.ClickException(str(error)) from None
    except sqlite3.Error as error:
        raise click.ClickException(f"The SQLite database cannot be used: {error}.") from None
    except DBAPIError as error:
        raise click.ClickException(f"The database refuses the data: {error.orig}.") from None
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        raise click.ClickException(f"{place}{error.strerror}.") from None
    finally:
        for database in databases:
            database.close()


def _read_secrets(folder: Path) -> bytes:
    paths = [folder / name for name in SECRET_FILES]
    return msgspec.json.encode({path.name: path.read_text() for path in paths if path.exists()})


def _read_passphrase(path: Path) -> bytes:
    passphrase = path.read_bytes().strip()
    if not passphrase:
        raise CopyRefused(f"{path} contains no passphrase.")
    return passphrase


def _describe(counts: Mapping[str, int]) -> str:
    return f"{sum(counts.values()):,} rows of {len(counts)} tables"
