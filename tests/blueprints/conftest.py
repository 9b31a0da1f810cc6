"""A page of a conversation with one complete turn, and people with passwords."""

from __future__ import annotations

import pytest

from tests.support.person import Page, Person, complete_first_turn
from tests.support.sign_in_steps import add_people, sign_in
from tests.support.upstream import Upstream
from twindow.accounts import Accounts
from twindow.web.container import Portal


@pytest.fixture
def page(alice: Person, upstream: Upstream) -> Page:
    return complete_first_turn(
        alice, upstream, "Why is the sky blue?", "Because of **scattering**."
    )


@pytest.fixture
def accounts(portal: Portal) -> Accounts:
    """Add Anna and Ben, who have the same password, and return the accounts."""
    return add_people(portal)


@pytest.fixture
def anna(accounts: Accounts, alice: Person) -> Person:
    """Return the browser of Alice, in which Anna is signed in."""
    assert sign_in(alice).status == 200
    return alice
