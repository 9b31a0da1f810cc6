"""One-time links, with which people set their password."""

from __future__ import annotations

import pytest

from tests.support.passwords import PASSWORD
from tests.support.person import Person
from tests.support.sign_in_steps import is_signed_in, sign_in
from twindow.accounts import Accounts

# Run a portal without visitors.
pytestmark = pytest.mark.settings(sign_in="password")


def test_one_time_link_sets_the_password_and_signs_in(
    alice: Person, bob: Person, accounts: Accounts
):
    path = f"/session/links/{accounts.create_link(accounts.people.add('Cleo'))}"
    form = alice.get(path)
    assert form.html.select_one("[autocomplete=username]")["value"] == "Cleo"
    # No other site learns the link.
    assert form.html.select_one("meta[name=referrer]")["content"] == "same-origin"

    rejected = alice.press(form, "Save", password="short")
    assert rejected.status == 422
    assert "at least 12 characters" in rejected.text
    assert alice.press(form, "Save", password=PASSWORD).path == "/"
    assert is_signed_in(alice)
    again = bob.get(path)
    assert (again.status, "no longer valid" in again.text) == (404, True)
    assert sign_in(bob, "Cleo").path == "/"


def test_token_of_a_one_time_link_is_not_logged(
    alice: Person, accounts: Accounts, caplog: pytest.LogCaptureFixture
):
    token = accounts.create_link(accounts.people.find("Anna"))
    accounts.database.lock_timeout = 0.05
    form = alice.get(f"/session/links/{token}")
    with accounts.database.write():
        page = alice.press(form, "Save", password=PASSWORD)

    assert page.status == 503
    assert "/session/links/…" in caplog.text
    assert token not in caplog.text


def test_one_time_link_of_another_person_replaces_the_current_sign_in(
    anna: Person, accounts: Accounts
):
    path = f"/session/links/{accounts.create_link(accounts.people.add('Cleo'))}"
    anna.press(anna.get(path), "Save", password=PASSWORD)

    assert "Cleo" in anna.get("/session").text
    assert accounts.sign_ins.list_for_person(accounts.people.find("Anna").id) == []
