"""What the tests of conversations begin with."""

from __future__ import annotations

import pytest

from tests.support.person import Page, Person, say_and_hear
from tests.support.upstream import Upstream


@pytest.fixture
def page(alice: Person, upstream: Upstream) -> Page:
    return say_and_hear(alice, upstream, "Why is the sky blue?", "Because of **scattering**.")
