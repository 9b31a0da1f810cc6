"""The address of the browser, behind the proxies that the operator trusts."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from flask import request

from web.container import portal

# One subscriber usually has a whole network of this size (RFC 6177).
IPV6_PREFIX = 64


def client_address() -> str:
    """Return the address of the browser; instead of an IPv6 address, its /64 network.

    It is the last address in `X-Forwarded-For` that is not a trusted proxy's. Without a trusted
    proxy the header is ignored, because any browser can send it.
    """
    proxies = portal().settings.trusted_proxies
    address = _parse(request.remote_addr or "")
    if proxies.is_any or (address and address in proxies):
        for text in reversed(request.headers.get("X-Forwarded-For", "").split(",")):
            hop = _parse(text.strip())
            if hop is None:
                break
            address = hop
            if hop not in proxies:
                break
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address or "")


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
