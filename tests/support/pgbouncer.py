"""A real PgBouncer in transaction mode, in front of a PostgreSQL server."""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import make_url

from tests.support.packages import find_program
from tests.support.processes import free_port
from tests.support.waiting import accepts_connections, wait_until

STOP_SECONDS = 10
# As Debian's package configures it, but in transaction mode, and with few connections.
CONFIG = """
[databases]
{database} = host={host} port={server_port} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
"""


@contextmanager
def run_pgbouncer(database_url: str, folder: Path) -> Iterator[str]:
    """Run PgBouncer and yield the URL of the database behind it."""
    address, port = make_url(database_url), free_port()
    file = folder / "pgbouncer.ini"
    file.write_text(
        CONFIG.format(
            database=address.database,
            host=address.query["host"],
            server_port=address.query["port"],
            user=address.username,
            port=port,
        )
    )
    # PgBouncer refuses to run as root, the usual user in a container.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        os.chown(file, pwd.getpwnam(user).pw_uid, -1)
        file.parent.chmod(0o755)
    process = subprocess.Popen(
        [find_program("pgbouncer", "pgbouncer"), "-q", file.name],
        cwd=folder,
        user=user,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_until(lambda: accepts_connections(port))
        yield f"postgresql+psycopg://{address.username}@127.0.0.1:{port}/{address.database}"
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)
