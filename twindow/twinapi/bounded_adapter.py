"""Requests adapter with abortable requests and a deadline for complete response headers.

The timeout of a socket is not enough: it restarts with every byte.
"""

from __future__ import annotations

import socket
import threading
from contextlib import suppress
from copy import copy
from http.client import HTTPException
from typing import Any

import requests
from urllib3.connectionpool import ConnectionPool
from urllib3.response import HTTPResponse

from twindow.core.outbound.adapter import HTTPPool, HTTPSPool, OutboundAdapter
from twindow.twinapi.watchdog import deadline


class AbortHandle:
    """Handle to abort a request from another thread, even before its response begins."""

    def __init__(self) -> None:
        self._sock: socket.socket | None = None
        self._is_aborted = False
        self._lock = threading.Lock()

    def __call__(self) -> None:
        """Abort the request, now or as soon as there is a connection."""
        with self._lock:
            self._is_aborted = True
            _shut_down(self._sock)

    def attach(self, sock: socket.socket | None) -> None:
        """Set the socket of the request; None detaches it."""
        with self._lock:
            self._sock = sock
            if self._is_aborted:
                _shut_down(sock)


def _bounded_pool_class(pool_class: Any) -> Any:
    class BoundedConnection(pool_class.ConnectionCls):  # type: ignore[misc]
        head_timeout = 0.0
        abort_handle: AbortHandle | None = None

        def getresponse(self) -> HTTPResponse:
            if self.abort_handle:
                self.abort_handle.attach(self.sock)
            with deadline(self.head_timeout, lambda: _shut_down(self.sock)) as has_passed:
                try:
                    response: HTTPResponse = super().getresponse()
                except (OSError, HTTPException):
                    if has_passed.is_set():
                        raise TimeoutError from None
                    raise
            if has_passed.is_set():
                # After an abort, truncated headers can look complete.
                response.close()
                raise TimeoutError
            return response

    class BoundedPool(pool_class):  # type: ignore[misc]
        ConnectionCls = BoundedConnection
        head_timeout = 0.0
        abort_handle: AbortHandle | None = None

        def _get_conn(self, timeout: float | None = None) -> BoundedConnection:
            connection: BoundedConnection = super()._get_conn(timeout)
            connection.head_timeout, connection.abort_handle = self.head_timeout, self.abort_handle
            return connection

    return BoundedPool


class BoundedAdapter(OutboundAdapter):
    """Adapter whose responses must have complete headers after some time.

    Prepared requests have an attribute `head_timeout`, in seconds. If they also have an attribute
    `abort_handle`, that handle can abort the request.
    """

    pool_classes = {  # noqa: RUF012
        "http": _bounded_pool_class(HTTPPool),
        "https": _bounded_pool_class(HTTPSPool),
    }

    def get_connection_with_tls_context(
        self, request: requests.PreparedRequest, *args: Any, **options: Any
    ) -> ConnectionPool:
        """Return the pool for a request; its connections know the request's time and handle."""
        pool = super().get_connection_with_tls_context(request, *args, **options)
        # The copied pool shares the connections of the original pool.
        pool = copy(pool)
        pool.head_timeout = request.head_timeout  # type: ignore[attr-defined]
        pool.abort_handle = getattr(request, "abort_handle", None)  # type: ignore[attr-defined]
        return pool


def _shut_down(sock: socket.socket | None) -> None:
    with suppress(OSError):
        if sock is not None:
            sock.shutdown(socket.SHUT_RDWR)
