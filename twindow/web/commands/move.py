"""The command that copies all data to another database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager

import click
import msgspec
from sqlalchemy.exc import DBAPIError

from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.core.db.migrations import UnsupportedDatabase
from twindow.core.db.table_copy import CopyRefused, Source, copy_databases, require_empty
from twindow.core.settings import Settings, SettingsError, check_constraints

FILES_OF_DATA_FOLDER = "sqlite"


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
        with report_errors(databases):
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
        rows = f"{sum(counts.values()):,} rows of {len(counts)} tables"
        click.echo(f"Copied {rows}. The old database is unchanged.")
        click.echo(
            "Set TWINDOW_DATABASE_URL to the URL that you gave with --to, and start the server."
            if new_url
            else "Remove TWINDOW_DATABASE_URL from the settings, and start the server."
        )
        click.echo(f"The secrets stay in {settings.data_dir.resolve()}: keep this folder.")

    return move


@contextmanager
def report_errors(databases: Iterable[Database] = ()) -> Iterator[None]:
    """Close the databases at the end. Convert expected errors to ClickException.

    Flask prints a ClickException as one sentence.
    """
    try:
        yield
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
