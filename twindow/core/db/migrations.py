"""Upgrade of the tables, at startup and in commands."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from twindow.core.db.database import Database

_LOCK_ID = 8429  # lock id: arbitrary, but the same in every process
FIRST_VERSION = "0100"
# The last revision that can open databases of revisions before FIRST_VERSION.
LAST_EARLIER_REVISION = "b439d018"


class UnsupportedDatabase(Exception):
    """Raised for a database that this version cannot use as it is.

    Its tables are not up to date, or of a newer version or a revision before the first release, or
    its encoding is not UTF-8. The message is one sentence.
    """


def require_newest(database: Database, migrations: Path, version_table: str) -> None:
    """Raise UnsupportedDatabase unless the tables have the newest version."""
    if not _is_newest(database, migrations, version_table):
        raise UnsupportedDatabase(
            f"The database {database.engine.url.database} is not up to date: “twindow upgrade”, or "
            "a start of the server, creates and upgrades the tables."
        )


def migrate(database: Database, migrations: Path, version_table: str) -> None:
    """Upgrade the tables to the newest migration in `migrations`. Raises UnsupportedDatabase."""
    if not _is_newest(database, migrations, version_table):
        _upgrade(database, migrations, version_table)


def _is_newest(database: Database, migrations: Path, version_table: str) -> bool:
    """Return whether the tables are up to date. Raises UnsupportedDatabase if they cannot be."""
    _require_utf8(database)
    files = migrations.glob("versions/[0-9]*.py")
    supported_version = max(path.stem.split("_")[0] for path in files)
    current_version = _current_version(database, version_table) or ""
    name = database.engine.url.database
    if "" < current_version < FIRST_VERSION:
        raise UnsupportedDatabase(
            f"The database {name} was made by a revision before 0.1.0, which "
            f"{LAST_EARLIER_REVISION} can still open; there is no conversion."
        )
    if current_version > supported_version:
        raise UnsupportedDatabase(
            f"The database {name} has version {current_version}, but this program supports only "
            f"{supported_version}: update the program, or restore a backup from before its update."
        )
    return current_version == supported_version


def _require_utf8(database: Database) -> None:
    """Raise UnsupportedDatabase if the database cannot store every text."""
    if database.is_sqlite:
        return
    with database.read() as connection:
        encoding = connection.exec_driver_sql("SHOW server_encoding").scalar()
    if encoding != "UTF8":
        raise UnsupportedDatabase(
            f"The database {database.engine.url.database} has the encoding {encoding}: create one "
            "with UTF8 (createdb -E UTF8 -T template0 NAME), and set TWINDOW_DATABASE_URL to it."
        )


def _upgrade(database: Database, migrations: Path, version_table: str) -> None:
    # Alembic takes a sixth of a second to import, and most starts have nothing to migrate.
    from alembic.config import Config
    from alembic.runtime.environment import EnvironmentContext
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(migrations).replace("%", "%%"))
    script = ScriptDirectory.from_config(config)

    def upgrade(revision: Any, _context: Any) -> Any:
        return script._upgrade_revs("head", revision)

    with database.write() as connection, EnvironmentContext(config, script, fn=upgrade) as context:
        database.lift_timeouts(connection)
        if not database.is_sqlite:
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK_ID})")
        context.configure(connection=connection, version_table=version_table)
        context.run_migrations()


def _current_version(database: Database, version_table: str) -> str | None:
    with database.read() as connection:
        if not database.engine.dialect.has_table(connection, version_table):
            return None
        result = connection.exec_driver_sql(f"SELECT version_num FROM {version_table}")  # noqa: S608
        return result.scalar()
