"""Pictures that the service names. It may name anything: nobody is sent into our own network.

No key goes along, not even to the service: an <img> could not send one either.
"""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from requests.utils import DEFAULT_CA_BUNDLE_PATH
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.exceptions import HTTPError
from urllib3.util import Url, parse_url

from twinapi.bounded_adapter import HangUp
from twinapi.errors import NoPicture
from twinapi.ssrf_guard import connect
from twinapi.watchdog import Deadline

MAX_BYTES = 512 * 1024
# Our own service takes files of this size.
MAX_OWN_BYTES = 1024 * 1024
PORTS = {"http": 80, "https": 443}
HEADERS = {
    "Accept": "image/png, image/jpeg, image/webp, image/gif",
    "Accept-Encoding": "identity",
    "User-Agent": "Twindow",
}


class Pictures:
    """Fetch what the service at `base_url` names, there or elsewhere in the internet."""

    timeout_seconds = 5.0

    def __init__(self, base_url: str, ca_file: Path | None) -> None:
        self._base_url = base_url
        self._ca_file = ca_file

    def fetch(self, address: str) -> bytes:
        """Return what is at an address, bounded in size and time. Raises NoPicture."""
        try:
            url = parse_url(urljoin(self._base_url, address))
            own = _origin(url) == _origin(parse_url(self._base_url))
            if url.auth or not (own or url.port in (None, *PORTS.values())):
                raise NoPicture("the address names a user or a port")
            return self._read(url, own=own)
        except (HTTPError, OSError, ValueError) as error:
            raise NoPicture(f"{type(error).__name__}: {error}") from None

    def _read(self, url: Url, *, own: bool) -> bytes:
        line = _Line()
        most = MAX_OWN_BYTES if own else MAX_BYTES
        with (
            line,
            Deadline(self.timeout_seconds, line) as late,
            self._pool(url, own=own, line=line) as pool,
        ):
            response = pool.urlopen(
                "GET",
                url.request_uri,
                headers=HEADERS,
                redirect=False,
                retries=False,
                timeout=self.timeout_seconds,
                preload_content=False,
                decode_content=False,
            )
            with response:
                if response.status != 200:
                    raise NoPicture(f"the answer is {response.status}")
                content = b""
                # Only a reading that finds nothing tells an end from a break.
                while len(content) <= most and (more := response.read(most + 1 - len(content))):
                    content += more
        if late.passed:
            # What came until then passes for a whole body.
            raise NoPicture("the answer takes too long")
        if len(content) > most:
            raise NoPicture("it is too large")
        return content

    def _pool(self, url: Url, *, own: bool, line: _Line) -> HTTPConnectionPool:
        options: dict[str, Any] = {"anywhere": own, "line": line}
        host = (url.host or "").strip("[]")
        if url.scheme == "http":
            return _Pool(host, url.port, **options)
        trusted = self._ca_file if own and self._ca_file else DEFAULT_CA_BUNDLE_PATH
        return _SecurePool(host, url.port, cert_reqs="REQUIRED", ca_certs=str(trusted), **options)


class _Line(HangUp):
    """Hang up at any time: while TLS is agreed the socket itself cannot be had, but a copy can."""

    _copy: socket.socket | None = None

    def follow(self, sock: socket.socket) -> None:
        """Take note of a new connection."""
        self._copy = sock.dup()
        self.watch(self._copy)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.watch(None)
        if self._copy:
            self._copy.close()


class _Connection(HTTPConnection):
    """Connect only where it is allowed."""

    def __init__(self, *args: Any, anywhere: bool, line: _Line, **options: Any) -> None:
        super().__init__(*args, **options)
        self._anywhere = anywhere
        self._line = line

    def _new_conn(self) -> socket.socket:
        sock = connect(self.host, self.port, anywhere=self._anywhere)
        self._line.follow(sock)
        return sock


class _SecureConnection(_Connection, HTTPSConnection):
    """The same over TLS."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def _origin(url: Url) -> tuple[str | None, str | None, int | None]:
    if url.scheme not in PORTS or not url.host:
        raise NoPicture("it is no address of the web")
    return url.scheme, url.host, url.port or PORTS[url.scheme]
