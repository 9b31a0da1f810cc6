"""Networks: of proxies that state client addresses or identities, and of monitoring systems."""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

ANY = "*"


class TrustedProxies:
    """Addresses and networks, parsed from a list; `*` is any address.

    Raises ValueError with a plain reason.
    """

    def __init__(self, text: str) -> None:
        names = [name for part in text.split(",") if (name := part.strip())]
        self.text = text
        self.is_any = ANY in names
        self._networks = [_parse(name) for name in names if name != ANY]

    def __contains__(self, address: IPv4Address | IPv6Address) -> bool:
        """Return whether a listed network contains the address. For `*`, use `is_any`."""
        return any(address in network for network in self._networks)

    def lists(self, peer: str) -> bool:
        """Return whether the address of a TCP peer is listed; "" stands for a Unix socket."""
        if self.is_any:
            return True
        try:
            address = ip_address(peer)
        except ValueError:
            return False
        return (getattr(address, "ipv4_mapped", None) or address) in self


class PeerNetworks(TrustedProxies):
    """Networks of TCP peers that may do what others may not. `*` and /0 are refused."""

    refusal = "anyone could read the metrics; list the addresses of the monitoring system"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        if self.is_any or any(network.prefixlen == 0 for network in self._networks):
            raise ValueError(self.refusal)


class IdentityProxies(PeerNetworks):
    """Networks of the proxies that identify people."""

    refusal = "anyone could claim any name; list the addresses of the proxy"


def _parse(name: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(name)
    except ValueError:
        raise ValueError(f"“{name}” is not an IP address or network") from None
