"""How other servers are reached: certificate authorities and forward proxy."""

from __future__ import annotations

import ssl
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

import certifi


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
