"""Protection against server-side request forgery through avatar URLs."""

from __future__ import annotations

import socket
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

from twinapi.errors import AvatarUnavailable

CONNECT_TIMEOUT_SECONDS = 3.0
MAX_ADDRESSES = 3
# All public IPv6 addresses are in 2000::/3; others are local, or embed an IPv4 address.
PUBLIC_IPV6 = IPv6Network("2000::/3")
# Networks of cloud metadata services and 6to4 relays; Python may report them as global.
NON_PUBLIC_IPV4 = [
    IPv4Network(each) for each in ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24")
]


def is_public(address_text: str) -> bool:
    """Return whether an address is on the public internet, not in a local network."""
    try:
        address = ip_address(address_text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        has_embedded_address = address.sixtofour or address.teredo
        return address in PUBLIC_IPV6 and address.is_global and not has_embedded_address
    is_reserved = address.is_multicast or any(address in network for network in NON_PUBLIC_IPV4)
    return address.is_global and not is_reserved


def connect(host: str, port: int, *, is_private_allowed: bool) -> socket.socket:
    """Connect to a host; unless `is_private_allowed`, all its addresses must be public.

    The name is resolved only once, so that the checked addresses are the ones used.
    Raises AvatarUnavailable and OSError.
    """
    address_infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if not is_private_allowed and not all(
        is_public(str(address_info[4][0])) for address_info in address_infos
    ):
        raise AvatarUnavailable(f"{host} is not a public host")
    last_error = OSError(f"{host} has no address")
    for family, socket_type, protocol, _, address in address_infos[:MAX_ADDRESSES]:
        sock = socket.socket(family, socket_type, protocol)
        try:
            sock.settimeout(CONNECT_TIMEOUT_SECONDS)
            sock.connect(address)
        except OSError as error:
            last_error = error
            with suppress(OSError):
                sock.close()
        else:
            return sock
    raise last_error
