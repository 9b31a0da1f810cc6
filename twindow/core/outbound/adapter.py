"""Sessions and connections for requests to other servers.

All requests to the service, the model server, the identity provider and the hosts of avatars go
through a session of `open_session`.
"""

from __future__ import annotations

import time
from typing import Any

import requests
from requests.adapters import HTTPAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.connectionpool import HTTPConnectionPool, HTTPSConnectionPool
from urllib3.poolmanager import PoolManager

from twindow.core.outbound.fair_response import FairHTTPResponse
from twindow.core.outbound.outbound import Outbound, tls_context

# A firewall may have forgotten a connection that was idle for longer. A request over it would wait
# for its timeout, and nobody would know whether the server has received it.
MAX_IDLE_SECONDS = 5.0


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
