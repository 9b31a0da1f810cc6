"""The address of the browser, behind the proxies that the operator trusts."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from flask import request

from web.container import portal

ANY_PROXY = "*"
# One subscriber usually has a whole network of this size (RFC 6177).
IPV6_PREFIX = 64


def client_address() -> str:
    """Return the address of the browser; instead of an IPv6 address, its /64 network.

    It is the last address in `X-Forwarded-For` that is not a trusted proxy's. Without a trusted
    proxy the header is ignored, because any browser can send it.
    """
    address = _parse(request.remote_addr or "")
    if _is_proxy(address) or ANY_PROXY in _trusted():
        for text in reversed(request.headers.get("X-Forwarded-For", "").split(",")):
            hop = _parse(text.strip())
            if hop is None:
                break
            address = hop
            if not _is_proxy(hop):
                break
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address or "")


def _is_proxy(address: IPv4Address | IPv6Address | None) -> bool:
    return address is not None and any(
        address in ip_network(name, strict=False) for name in _trusted() if name != ANY_PROXY
    )


def _trusted() -> list[str]:
    names = (name.strip() for name in portal().settings.proxy_ips.split(","))
    return [name for name in names if name]


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
