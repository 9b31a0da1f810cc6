"""The address of the browser, behind the proxies that the operator trusts."""

from __future__ import annotations

import re
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from flask import current_app, request

from core.keyed_hash import keyed_hash
from web.container import portal

# One subscriber usually has a whole network of this size (RFC 6177).
IPV6_PREFIX = 64
# Some proxies add the port: 192.0.2.1:5678, [2001:db8::1]:5678.
_WITH_PORT = re.compile(r"\[(?P<ipv6>[^]]+)](:\d+)?|(?P<ipv4>[\d.]+):\d+", re.ASCII)
HOUR_SECONDS, DAY_SECONDS = 3600, 24 * 3600


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


def client_address_hashes() -> tuple[str, ...]:
    """Return the hash of the browser's address with the key of the day (UTC), to store it.

    In the first hour of a day, the hash with yesterday's key follows.
    """
    now, secret_key = portal().clock.time(), str(current_app.secret_key)
    days = dict.fromkeys(int((now - age) // DAY_SECONDS) for age in (0, HOUR_SECONDS))
    address = client_address()
    return tuple(keyed_hash(secret_key, "address", str(day), address) for day in days)


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    found = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((found["ipv6"] or found["ipv4"]) if found else text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
