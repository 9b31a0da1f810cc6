"""A real forward proxy: Squid, which knows hosts of its own and asks for a password."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.support.apache import password_line, run_proxy
from tests.support.packages import find_program
from tests.support.processes import free_port

PASSWORD_CHECK = "/usr/lib/squid/basic_ncsa_auth"
CONFIG = """
http_port 127.0.0.1:{port}
hosts_file {folder}/hosts
pid_filename {folder}/pid
access_log stdio:{folder}/access.log
cache_log {folder}/cache.log
cache deny all
shutdown_lifetime 0 seconds
visible_hostname proxy.test
auth_param basic program {password_check} {folder}/passwords
acl people proxy_auth REQUIRED
http_access allow people
"""


@dataclass(frozen=True, slots=True)
class Squid:
    """A running Squid; `url` contains the name and the password."""

    url: str
    access_log: Path

    @property
    def requests(self) -> list[str]:
        """Return the method and URL of each request that has ended."""
        lines = self.access_log.read_text().splitlines() if self.access_log.exists() else []
        return [" ".join(line.split()[5:7]) for line in lines]


@contextmanager
def run_squid(*hosts: str) -> Iterator[Squid]:
    """Run a Squid that finds `hosts` on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        yield from _run_in(Path(folder), hosts)


def _run_in(folder: Path, hosts: Sequence[str]) -> Iterator[Squid]:
    program, port = find_program("squid", "squid"), free_port()
    folder.chmod(0o777)  # Squid gives up the rights of root
    (folder / "hosts").write_text(f"127.0.0.1 {' '.join(hosts)}\n")
    (folder / "passwords").write_text(password_line("portal", "secret"))
    config = folder / "squid.conf"
    config.write_text(CONFIG.format(port=port, folder=folder, password_check=PASSWORD_CHECK))
    with run_proxy([program, "-N", "-f", str(config)], port):
        yield Squid(f"http://portal:secret@127.0.0.1:{port}", folder / "access.log")
