"""The address of the browser, behind the proxies that the operator trusts."""

from __future__ import annotations

import logging
import re
from functools import cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

from flask import current_app, request

from twindow.core.secrets import keyed_hash
from twindow.core.server.proxy_detection import is_proxied
from twindow.web.container import portal
from twindow.web.person.current_person import signed_in_person

logger = logging.getLogger("twindow.addresses")

# One subscriber usually has a whole network of this size (RFC 6177).
IPV6_PREFIX = 64
# Some proxies add the port: 192.0.2.1:5678, [2001:db8::1]:5678.
_WITH_PORT = re.compile(r"\[(?P<ipv6>[^]]+)](:\d+)?|(?P<ipv4>[\d.]+):\d+", re.ASCII)
# Matches the address in an element of `Forwarded`; the address may be quoted.
_FOR = re.compile(r'(?:^|;)\s*for="?([^";]*)', re.ASCII | re.IGNORECASE)
DAY_SECONDS = 24 * 3600
# Only the nearest hops are read: a header that a browser sends may list thousands.
MAX_HOPS = 20


def client_address() -> str:
    """Return the address of the browser, or its /64 network for an IPv6 address.

    The address is the last one in `X-Forwarded-For` or `Forwarded` (RFC 7239) that does not belong
    to a trusted proxy. Without a trusted proxy, the headers are ignored, because any browser can
    send them. A proxy sets only one of these headers. If the headers disagree, the browser has sent
    one of them, so both are ignored. Browsers whose address is unknown share the address of their
    proxy, and with it each limit of an address.
    """
    peer = address = _parse(request.remote_addr or "")
    if portal().settings.trusted_proxies.lists(request.remote_addr or ""):
        found = {_last_untrusted(hops, peer) for hops in _forwarded_hops() if hops}
        address = found.pop() if len(found) == 1 else peer
        if address == peer and (portal().settings.public_url or is_proxied(request.environ)):
            _log_unknown_address()
    return _network(address)


def visitor_address() -> str | None:
    """Return `hashed_address`, or None if a person is signed in."""
    return None if signed_in_person() else hashed_address()


def hashed_address() -> str:
    """Return an HMAC of the day (UTC) and the browser's address."""
    day = int(portal().clock.time() // DAY_SECONDS)
    return keyed_hash(str(current_app.secret_key), "address", str(day), client_address())


@cache
def _log_unknown_address() -> None:
    """Log once that a proxy does not say which browser a request is from."""
    logger.warning(
        "The proxy at %s sends no X-Forwarded-For, or a contradicting Forwarded. Such requests "
        "share one address, so together they have the limits of one address.",
        request.remote_addr,
    )


def _network(address: IPv4Address | IPv6Address | None) -> str:
    if isinstance(address, IPv6Address):
        return str(ip_network((address, IPV6_PREFIX), strict=False))
    return str(address or "")


def _forwarded_hops() -> tuple[list[str], list[str]]:
    """Return the addresses of `X-Forwarded-For` and of `Forwarded`, the nearest one last."""
    x_forwarded_for = request.headers.get("X-Forwarded-For", "")
    forwarded = request.headers.get("Forwarded", "")
    return (
        _nearest(x_forwarded_for) if x_forwarded_for else [],
        # An element without an address counts as an unknown address.
        [(_FOR.search(element) or ("", ""))[1] for element in _nearest(forwarded)]
        if forwarded
        else [],
    )


def _nearest(header: str) -> list[str]:
    return header.rsplit(",", MAX_HOPS)[-MAX_HOPS:]


def _last_untrusted(
    hops: list[str], peer: IPv4Address | IPv6Address | None
) -> IPv4Address | IPv6Address | None:
    proxies, address = portal().settings.trusted_proxies, peer
    for text in reversed(hops):
        hop = _parse(text.strip())
        if hop is None:
            break
        address = hop
        if hop not in proxies:
            break
    return address


def _parse(text: str) -> IPv4Address | IPv6Address | None:
    found = _WITH_PORT.fullmatch(text)
    try:
        address = ip_address((found["ipv6"] or found["ipv4"]) if found else text)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address
