"""Requests to other servers: certificate authorities, forward proxy and connections.

All requests to the service, the model server, the identity provider and the hosts of avatars go
through a session of `open_session`.
"""

from __future__ import annotations

import ssl
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import certifi
import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

from twindow.core.outbound.fair_response import FairHTTPResponse

# A firewall may have forgotten a connection that was idle for longer. A request over it would wait
# for its timeout, and nobody would know whether the server has received it.
MAX_IDLE_SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Outbound:
    """How other servers are reached.

    `ca_file` has certificates to trust besides the public authorities. `proxy` is the URL of a
    forward proxy, which is not used for this machine and for the hosts in `no_proxy`: a list of
    hosts, which include their subdomains, and networks such as 10.0.0.0/8; * stands for all.
    """

    ca_file: Path | None = None
    proxy: str | None = None
    no_proxy: str = ""

    def proxy_for(self, url: str) -> str | None:
        """Return the proxy for a URL, or None if its host is reached directly."""
        host = urlsplit(url).hostname or ""
        names = ["localhost", *(name.strip() for name in self.no_proxy.lower().split(","))]
        is_direct = any(name == "*" or _is_below(host, name) for name in names)
        with suppress(ValueError):
            address = ip_address(host)
            networks = parse_networks(self.no_proxy)
            is_direct |= address.is_loopback or any(address in network for network in networks)
        return None if is_direct else self.proxy


def parse_networks(no_proxy: str) -> list[IPv4Network | IPv6Network]:
    """Return the networks in a list of hosts and networks. Raises ValueError."""
    items = (part.strip() for part in no_proxy.split(","))
    return [ip_network(item, strict=False) for item in items if "/" in item]


def _is_below(host: str, name: str) -> bool:
    """Return whether a host is `name` or one of its subdomains."""
    name = name.removeprefix("*").removeprefix(".")
    return bool(name) and f".{host}".endswith(f".{name}")


DIRECT = Outbound()


@lru_cache(maxsize=2)
def tls_context(ca_file: Path | None) -> ssl.SSLContext:
    """Return the context for TLS connections; it takes about 40 ms to load the authorities.

    Raises OSError and ssl.SSLError if `ca_file` cannot be read.
    """
    context = ssl.create_default_context(cafile=certifi.where())
    if ca_file:
        context.load_verify_locations(ca_file)
        # Python 3.13 refuses authorities that do not meet RFC 5280 to the letter, as many of
        # companies do not. Some companies hand out an intermediate certificate.
        context.verify_flags &= ~ssl.VERIFY_X509_STRICT
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    return context


class _FreshConnections:
    """Mixin of connection pools: a connection is not used again after `MAX_IDLE_SECONDS`."""

    def _get_conn(self, timeout: float | None = None) -> Any:
        connection = super()._get_conn(timeout)  # type: ignore[misc]
        now = time.monotonic()
        if now - getattr(connection, "idle_since", now) > MAX_IDLE_SECONDS:
            connection.close()  # it connects again when it is used
        return connection

    def _put_conn(self, connection: Any) -> None:
        if connection:
            connection.idle_since = time.monotonic()
        super()._put_conn(connection)  # type: ignore[misc]


class FairConnection(HTTPConnection):
    """Plain connection with responses that let other greenlets run."""

    response_class = FairHTTPResponse


class FairTLSConnection(HTTPSConnection):
    """TLS connection with responses that let other greenlets run."""

    response_class = FairHTTPResponse


class HTTPPool(_FreshConnections, HTTPConnectionPool):
    """Pool of plain connections to one server."""

    ConnectionCls = FairConnection


class HTTPSPool(_FreshConnections, HTTPSConnectionPool):
    """Pool of TLS connections to one server."""

    ConnectionCls = FairTLSConnection


class OutboundAdapter(HTTPAdapter):
    """Adapter of Requests that connects as an `Outbound` says."""

    pool_classes: dict[str, Any] = {"http": HTTPPool, "https": HTTPSPool}  # noqa: RUF012

    def __init__(self, outbound: Outbound, **options: Any) -> None:
        self._outbound = outbound
        super().__init__(**options)

    def send(self, request: requests.PreparedRequest, *args: Any, **options: Any) -> Any:
        """Send a request, through the proxy if there is one for its host."""
        proxy = self._outbound.proxy_for(request.url or "")
        options["proxies"] = {"http": proxy, "https": proxy} if proxy else {}
        return super().send(request, *args, **options)

    def init_poolmanager(self, *args: Any, **options: Any) -> None:
        """Create the pools of direct connections."""
        super().init_poolmanager(*args, **options)
        self.poolmanager.pool_classes_by_scheme = self.pool_classes

    def proxy_manager_for(self, *args: Any, **options: Any) -> PoolManager:
        """Return the pools of connections through a proxy."""
        manager: PoolManager = super().proxy_manager_for(*args, **options)
        manager.pool_classes_by_scheme = self.pool_classes
        return manager

    def build_connection_pool_key_attributes(self, *args: Any, **options: Any) -> Any:
        """Return the attributes of a pool, with the context of its TLS connections."""
        host, pool_options = super().build_connection_pool_key_attributes(*args, **options)
        if host["scheme"] == "https":
            pool_options["ssl_context"] = tls_context(self._outbound.ca_file)
        return host, pool_options

    def cert_verify(self, *_args: Any, **_options: Any) -> None:
        """Do nothing: the context has the authorities, which Requests would load again."""


def open_session(adapter: OutboundAdapter) -> requests.Session:
    """Return a session that ignores the environment: a ~/.netrc would replace the API key."""
    session = requests.Session()
    session.trust_env = False
    session.mount("http://", adapter)
    session.mount("https://", adapter)
    return session
