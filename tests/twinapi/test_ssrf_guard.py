"""Distinguishing public internet addresses from private ones."""

from __future__ import annotations

from twinapi.ssrf_guard import is_public


def test_only_internet_addresses_are_public():
    public = ["1.1.1.1", "93.184.216.34", "2606:4700::1111"]
    others = ["", "localhost", "1.1.1.1.", "fe80::1%eth0", "2001:db8::1"]

    assert [address for address in [*public, *others] if is_public(address)] == public
