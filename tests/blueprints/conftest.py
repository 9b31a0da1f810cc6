"""A page of a conversation with one complete turn."""

from __future__ import annotations

import pytest

from tests.support.person import Page, Person, complete_first_turn
from tests.support.upstream import Upstream


@pytest.fixture
def page(alice: Person, upstream: Upstream) -> Page:
    return complete_first_turn(
        alice, upstream, "Why is the sky blue?", "Because of **scattering**."
    )
