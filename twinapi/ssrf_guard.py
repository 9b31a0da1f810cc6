"""Which addresses in the network anybody may name to us: only those that everybody can reach."""

from __future__ import annotations

import socket
from contextlib import suppress
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address

from twinapi.errors import NoPicture

CONNECT_SECONDS = 3.0
TRIED = 3
# Addresses of this block are routed in the internet; all others are local, or stand for another.
INTERNET = IPv6Network("2000::/3")
# What clouds answer to their own machines, and what older Pythons take for public.
NEAR = [IPv4Network(each) for each in ("168.63.129.16/32", "192.0.0.0/24", "192.88.99.0/24")]


def is_public(text: str) -> bool:
    """Tell whether an address is somewhere in the internet, and not near us."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address):
        wraps_another = address.sixtofour or address.teredo
        return address in INTERNET and address.is_global and not wraps_another
    is_near = address.is_multicast or any(address in network for network in NEAR)
    return address.is_global and not is_near


def connect(host: str, port: int, *, anywhere: bool) -> socket.socket:
    """Connect to a name; unless it may be anywhere, only if all that it means now is public.

    What is connected to is what was checked: the name is not looked up again. Raises NoPicture
    and OSError.
    """
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    if not anywhere and not all(is_public(str(where[4][0])) for where in found):
        raise NoPicture(f"{host} is not in the internet")
    failure = OSError(f"{host} has no address")
    for family, kind, protocol, _, address in found[:TRIED]:
        sock = socket.socket(family, kind, protocol)
        try:
            sock.settimeout(CONNECT_SECONDS)
            sock.connect(address)
        except OSError as error:
            failure = error
            with suppress(OSError):
                sock.close()
        else:
            return sock
    raise failure
