"""A PostgreSQL server for the tests, from installed programs or from the Debian package."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import LiteralString

import psycopg
from psycopg import sql

from tests.support.packages import find_or_install, install
from tests.support.processes import free_port

INSTALL_HINT = "The tests need PostgreSQL's server programs; on Debian: apt-get install postgresql"
# Speed over durability: a test database need not survive a power failure.
FAST_OPTIONS = "-c fsync=off -c full_page_writes=off -c listen_addresses=127.0.0.1"
# Over TCP, anna, betty and nologin need a password, and tls needs a TLS connection as well.
HBA = """\
local all all trust
host all anna,betty,nologin 127.0.0.1/32 scram-sha-256
hostssl all tls 127.0.0.1/32 scram-sha-256
"""


class Postgres:
    """A PostgreSQL server that listens on a Unix socket in its own folder, and on `port`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.port = free_port()
        self._bin = _find_or_install_programs()
        # PostgreSQL refuses to run as root, the usual user in a container.
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            account = pwd.getpwnam(self._user)
            os.chown(folder, account.pw_uid, account.pw_gid)
        self._database_numbers = count(1)
        self._run("initdb", "-D", "data", "-A", "trust", "-U", "twindow", "-N", "-E", "UTF8")
        (folder / "data" / "pg_hba.conf").write_text(HBA)
        self.start()
        # Whatever is created in this template exists in every database created later.
        self.template_url = self._database_url("template1")

    def start(self) -> None:
        """Start or restart the server."""
        options = f"-k {self._folder} -p {self.port} {FAST_OPTIONS}"
        self._run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", options, "start")

    def stop(self) -> None:
        """Stop the server at once, which breaks every connection."""
        self._run("pg_ctl", "-D", "data", "-w", "-m", "immediate", "stop")

    def create_database(self, template: str = "template1") -> str:
        """Create a database and return its URL; the template `template0` gives an empty one."""
        name = f"twindow_{next(self._database_numbers)}"
        # Do not use the program `createdb`, because starting a process takes longer.
        command = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self.execute(command.format(sql.Identifier(name), sql.Identifier(template)))
        return self._database_url(name)

    def execute(self, *statements: sql.Composed | LiteralString) -> None:
        """Execute statements as the superuser, outside of a transaction."""
        address = f"host={self._folder} port={self.port} user=twindow dbname=postgres"
        with psycopg.connect(address, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def _database_url(self, name: str) -> str:
        return f"postgresql+psycopg://twindow@/{name}?host={self._folder}&port={self.port}"

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [self._bin / program, *arguments],
            cwd=self._folder,
            user=self._user,
            check=True,
            stdout=subprocess.DEVNULL,
        )


@contextmanager
def run_postgres() -> Iterator[Postgres]:
    """Run a server; delete its data afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="twindow-pg-"))
    server = Postgres(folder)
    try:
        yield server
    finally:
        server.stop()
        shutil.rmtree(folder)


def _find_or_install_programs() -> Path:
    programs = find_or_install(_find_programs, lambda: install("postgresql"))
    if programs is None:
        raise SystemExit(INSTALL_HINT)
    return programs


def _find_programs() -> Path | None:
    versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if versions:
        return versions[-1]
    initdb = shutil.which("initdb")
    return Path(initdb).parent if initdb else None
