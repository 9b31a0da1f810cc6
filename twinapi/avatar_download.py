"""Download of avatars from URLs that the service names.

The service may name any URL, so hosts other than its own must have public addresses (ssrf_guard).
No API key is sent: the service must serve avatars without one, as an <img> cannot send a key.
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

from twinapi.bounded_adapter import AbortHandle
from twinapi.errors import AvatarUnavailable
from twinapi.fair_response import FairHTTPResponse
from twinapi.ssrf_guard import connect
from twinapi.watchdog import Deadline

MAX_BYTES = 512 * 1024
# Limit for avatars from the service itself. The embedded service accepts files up to this size.
MAX_SAME_ORIGIN_BYTES = 1024 * 1024
DEFAULT_PORTS = {"http": 80, "https": 443}
HEADERS = {
    "Accept": "image/png, image/jpeg, image/webp, image/gif",
    "Accept-Encoding": "identity",
    "User-Agent": "Twindow",
}


class AvatarDownloader:
    """Downloader of avatars from the service at `base_url`, or from elsewhere on the internet."""

    timeout_seconds = 5.0

    def __init__(self, base_url: str, ca_file: Path | None) -> None:
        self._base_url = base_url
        self._ca_file = ca_file

    def fetch(self, avatar_url: str) -> bytes:
        """Return the content of a URL, limited in size and time. Raises AvatarUnavailable."""
        try:
            url = parse_url(urljoin(self._base_url, avatar_url))
            is_same_origin = _origin(url) == _origin(parse_url(self._base_url))
            if url.auth or not (is_same_origin or _port(url) in DEFAULT_PORTS.values()):
                raise AvatarUnavailable("the URL contains a user or a port")
            return self._download(url, is_same_origin=is_same_origin)
        except (HTTPError, OSError, ValueError) as error:
            raise AvatarUnavailable(f"{type(error).__name__}: {error}") from None

    def _download(self, url: Url, *, is_same_origin: bool) -> bytes:
        abort_handle = _EarlyAbortHandle()
        max_bytes = MAX_SAME_ORIGIN_BYTES if is_same_origin else MAX_BYTES
        with (
            abort_handle,
            Deadline(self.timeout_seconds, abort_handle) as deadline,
            self._pool(url, is_same_origin=is_same_origin, abort_handle=abort_handle) as pool,
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
                    raise AvatarUnavailable(f"the response status is {response.status}")
                content = b""
                # Only the read after the last byte raises an error if the connection was lost.
                while len(content) <= max_bytes and (
                    chunk := response.read(max_bytes + 1 - len(content))
                ):
                    content += chunk
        if deadline.has_passed:
            # After an abort, a truncated body can look complete.
            raise AvatarUnavailable("the download timed out")
        if len(content) > max_bytes:
            raise AvatarUnavailable("it is too large")
        return content

    def _pool(
        self, url: Url, *, is_same_origin: bool, abort_handle: _EarlyAbortHandle
    ) -> HTTPConnectionPool:
        options: dict[str, Any] = {
            "is_private_allowed": is_same_origin,
            "abort_handle": abort_handle,
        }
        # Without an explicit port, http.client would read the end of an IPv6 address as the port.
        host, port = (url.host or "").strip("[]"), _port(url)
        if url.scheme == "http":
            return _Pool(host, port, **options)
        ca_certs = self._ca_file if is_same_origin and self._ca_file else DEFAULT_CA_BUNDLE_PATH
        return _SecurePool(host, port, cert_reqs="REQUIRED", ca_certs=str(ca_certs), **options)


class _EarlyAbortHandle(AbortHandle):
    """Abort handle that also works during the TLS handshake.

    The socket is not accessible during the handshake, so the handle holds a duplicate of it.
    """

    _socket_copy: socket.socket | None = None

    def attach_copy(self, sock: socket.socket) -> None:
        """Attach a duplicate of `sock` to this handle."""
        self._socket_copy = sock.dup()
        self.attach(self._socket_copy)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        self.attach(None)
        if self._socket_copy:
            self._socket_copy.close()


class _Connection(HTTPConnection):
    """Connection that checks the addresses of its host, and can be aborted."""

    response_class = FairHTTPResponse

    def __init__(
        self, *args: Any, is_private_allowed: bool, abort_handle: _EarlyAbortHandle, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self._is_private_allowed = is_private_allowed
        self._abort_handle = abort_handle

    def _new_conn(self) -> socket.socket:
        sock = connect(self.host, self.port, is_private_allowed=self._is_private_allowed)
        self._abort_handle.attach_copy(sock)
        return sock


class _SecureConnection(_Connection, HTTPSConnection):
    """TLS connection that checks the addresses of its host, and can be aborted."""


class _Pool(HTTPConnectionPool):
    ConnectionCls = _Connection


class _SecurePool(HTTPSConnectionPool):
    ConnectionCls = _SecureConnection


def _origin(url: Url) -> tuple[str | None, str | None, int]:
    if url.scheme not in DEFAULT_PORTS or not url.host:
        raise AvatarUnavailable("it is not an HTTP URL")
    return url.scheme, url.host, _port(url)


def _port(url: Url) -> int:
    return DEFAULT_PORTS[url.scheme or ""] if url.port is None else url.port
