"""HTTP requests to other servers: proxies and certificates, bounded responses, Retry-After."""

from __future__ import annotations

from twindow.core.outbound.adapter import (
    DIRECT,
    HTTPPool,
    HTTPSPool,
    Outbound,
    OutboundAdapter,
    open_session,
    parse_networks,
    tls_context,
)
from twindow.core.outbound.fair_response import BUFFER_BYTES, FULL_READ_BYTES
from twindow.core.outbound.responses import (
    NETWORK_ERRORS,
    ResponseTooLarge,
    describe_network_error,
    describe_response,
    read_bounded,
)
from twindow.core.outbound.retry_after import DEFAULT_RETRY_SECONDS, parse_retry_after

__all__ = [
    "BUFFER_BYTES",
    "DEFAULT_RETRY_SECONDS",
    "DIRECT",
    "FULL_READ_BYTES",
    "NETWORK_ERRORS",
    "HTTPPool",
    "HTTPSPool",
    "Outbound",
    "OutboundAdapter",
    "ResponseTooLarge",
    "describe_network_error",
    "describe_response",
    "open_session",
    "parse_networks",
    "parse_retry_after",
    "read_bounded",
    "tls_context",
]
