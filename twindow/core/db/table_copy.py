"""Copies of all rows of the portal and of the service in another database, of any kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Table, func, insert, literal, make_url, select

from twindow.core.db.database import Database
from twindow.core.db.migrations import migrate, require_newest

# Rows in memory at once. Each may hold a long text.
BATCH_ROWS = 200


class CopyRefused(Exception):
    """Raised when a database must not or cannot be copied. The message is one sentence."""


@dataclass(frozen=True, slots=True)
class Schema:
    """The tables of the portal, or of the service. Both may be in one database.

    `tables` are the tables to copy, each after those that it refers to.
    """

    name: str
    tables: Sequence[Table]
    migrations: Path
    version_table: str

    def migrate(self, database: Database) -> None:
        """Create or upgrade the tables. Raises UnsupportedDatabase and DatabaseUnavailable."""
        migrate(database, self.migrations, self.version_table)

    def prepare(self, database: Database, *, may_upgrade: bool) -> None:
        """Create or upgrade the tables, or only check that they are the newest.

        Raises UnsupportedDatabase and DatabaseUnavailable.
        """
        prepare_tables = migrate if may_upgrade else require_newest
        prepare_tables(database, self.migrations, self.version_table)


Source = tuple[Schema, Database]


def require_empty(schema: Schema, url: str) -> None:
    """Raise CopyRefused if the database has rows of this schema, or if a server uses it.

    Creates nothing. Raises DatabaseUnavailable.
    """
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and not Path(parsed.database or "").exists():
        return
    with closing(Database(url)) as database:
        if database.is_in_use():
            raise CopyRefused(f"A server uses the database {parsed.database}: stop it first.")
        with database.read() as connection:
            for table in schema.tables:
                exists = connection.dialect.has_table(connection, table.name)
                if exists and connection.execute(select(literal(1)).select_from(table)).first():
                    raise CopyRefused(
                        f"The database {parsed.database} has rows in the table {table.name}, but "
                        "it must be empty."
                    )


def copy_databases(sources: Sequence[Source], url_for: Callable[[str], str]) -> dict[str, int]:
    """Create the tables in empty databases and copy all rows: all of them, or none.

    `url_for` returns the URL of the target by the name of the schema. Returns the number of rows by
    table.
    Raises CopyRefused, DatabaseUnavailable and UnsupportedDatabase.
    """
    counts: dict[str, int] = {}
    with ExitStack() as stack:
        urls = {url_for(schema.name) for schema, _ in sources}
        databases = {url: stack.enter_context(closing(Database(url))) for url in urls}
        for schema, _ in sources:
            schema.migrate(databases[url_for(schema.name)])
        targets: dict[str, Connection] = {}
        for url, database in databases.items():
            targets[url] = stack.enter_context(database.write(durable=True))
            database.lift_timeouts(targets[url])
        for schema, source in sources:
            url = url_for(schema.name)
            with source.read() as connection:
                source.lift_timeouts(connection)
                for table in schema.tables:
                    counts[table.name] = _copy_rows(table, connection, targets[url])
    return counts


def _copy_rows(table: Table, source: Connection, target: Connection) -> int:
    count = 0
    result = source.execute(select(table), execution_options={"yield_per": BATCH_ROWS})
    for rows in result.mappings().partitions():
        target.execute(insert(table), [dict(row) for row in rows])
        count += len(rows)
    if target.execute(select(func.count()).select_from(table)).scalar_one() != count:
        raise CopyRefused("The copy does not have the same number of rows; nothing was written.")
    return count
