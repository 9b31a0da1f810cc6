"""Linking a password account to the name that a proxy reports."""

from __future__ import annotations

from typing import Any

import pytest

from accounts import Accounts
from tests.accounts.passwords import FAST_HASHER, PASSWORD
from tests.support.person import Page, Person, complete_first_turn
from tests.support.upstream import Upstream
from web.container import Portal

HEADER = "X-Remote-User"


@pytest.fixture
def settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Let people sign in with a password, or by a proxy."""
    return settings | {
        "sign_in": "password,proxy",
        "proxy_user_header": HEADER,
        "proxy_networks": "127.0.0.1",
    }


@pytest.fixture
def accounts(portal: Portal) -> Accounts:
    """Add Anna with a password, and return the accounts."""
    accounts = portal.accounts
    accounts.passwords.hasher = FAST_HASHER
    accounts.use_link(accounts.create_link(accounts.people.add("Anna")), PASSWORD, "")
    return accounts


@pytest.fixture
def path(accounts: Accounts) -> str:
    """Return the path of Anna's link."""
    return f"/session/identity/{accounts.create_link(accounts.people.find('Anna'), 'identity')}"


@pytest.fixture
def proxied(alice: Person) -> Person:
    """Return a browser whose proxy reports a.meier."""
    alice.session.headers[HEADER] = "a.meier"
    return alice


def link(person: Person, path: str, password: str = PASSWORD) -> Page:
    return person.press(person.get(path), "Link accounts", password=password)


def test_linked_name_and_password_lead_to_one_account_with_all_conversations(
    proxied: Person, bob: Person, upstream: Upstream, accounts: Accounts, path: str
):
    bob.press(bob.get("/session/new"), "Sign in", name="Anna", password=PASSWORD)
    with_password = complete_first_turn(bob, upstream, "With password", "Hi").path
    by_proxy = complete_first_turn(proxied, upstream, "By proxy", "Hi").path
    page = link(proxied, path)

    assert page.path == "/conversations"
    for person in (proxied, bob):
        assert [person.get(one).status for one in (with_password, by_proxy)] == [200, 200]
        assert "By proxy" in person.get("/conversations?q=proxy").text
    assert [person.name for person in accounts.people.list_all()] == ["Anna"]
    assert "no longer valid" in proxied.get(path).text


def test_linking_needs_the_password_of_the_account(proxied: Person, accounts: Accounts, path: str):
    page = link(proxied, path, "wrong password")

    assert page.status == 403
    assert "The password is wrong." in page.text
    assert len(accounts.people.list_all()) == 2
    assert [link(proxied, path, "wrong").status for _ in range(12)][-1] == 429


@pytest.mark.parametrize("name", ["", "a.meier"])
def test_linking_form_needs_an_identity_link_and_a_sign_in_through_the_proxy(
    alice: Person, accounts: Accounts, path: str, name: str
):
    """A link for setting a password links no accounts, and a signed-out person sees no form."""
    alice.session.headers[HEADER] = name
    other = f"/session/identity/{accounts.create_link(accounts.people.find('Anna'))}"
    page = alice.get(other if name else path)

    assert not page.html.select("form[action*=identity]")
