"""What is in the internet, and what is near us."""

from __future__ import annotations

import pytest

from twinapi.addresses import is_public


@pytest.mark.parametrize("address", ["1.1.1.1", "93.184.216.34", "2606:4700::1111"])
def test_the_internet_is_public(address: str):
    assert is_public(address)


@pytest.mark.parametrize("address", ["", "localhost", "1.1.1.1.", "fe80::1%eth0", "2001:db8::1"])
def test_what_is_no_address_of_the_internet_is_not(address: str):
    assert not is_public(address)
