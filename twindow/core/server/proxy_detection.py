"""The headers by which a proxy tells that a request has passed it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_PROXY_HEADERS = ("HTTP_FORWARDED", "HTTP_VIA", "HTTP_X_FORWARDED", "HTTP_X_REAL_IP")


def is_proxied(environ: Mapping[str, Any]) -> bool:
    """Return whether a WSGI request has a header that proxies add."""
    return any(name.startswith(_PROXY_HEADERS) for name in environ)
