"""People whom the operator adds."""

from __future__ import annotations

import pytest

from tests.support.passwords import PASSWORD
from twindow.accounts import (
    Accounts,
    NameTaken,
    Person,
    PersonNotFound,
    UnsuitableName,
    WrongCredentials,
)


def test_names_are_the_same_regardless_of_case_character_width_and_outer_spaces(
    accounts: Accounts, anna: Person
):
    for name in ("anna", "\uff21\uff2e\uff2e\uff21", " Anna "):
        assert accounts.people.find(name).id == anna.id
        with pytest.raises(NameTaken):
            accounts.people.add(name)


def test_name_that_cannot_be_displayed_is_rejected(accounts: Accounts):
    for name in ("", " ", "x" * 101, "a\x00b", "a\u202eb", "proxy:anna", "Proxy:anna"):
        with pytest.raises(UnsuitableName):
            accounts.people.add(name)
    assert [accounts.people.add(name).name for name in ("Key", "proxy")] == ["Key", "proxy"]


def test_list_shows_who_is_disabled_or_without_password(accounts: Accounts, anna: Person):
    bob = accounts.people.add("bob")
    accounts.people.disable(bob)

    listed = [
        (person.name, person.is_disabled, person.has_password)
        for person in accounts.people.list_all()
    ]
    assert listed == [("Anna", False, True), ("bob", True, False)]


def test_disabled_person_is_signed_out_until_enabled(accounts: Accounts, anna: Person):
    sign_in = accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox")
    accounts.people.disable(anna)

    assert accounts.sign_ins.find_person(sign_in.id) is None
    with pytest.raises(WrongCredentials):
        accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox")
    accounts.people.enable(anna)
    assert accounts.sign_ins.find_person(sign_in.id) is None
    assert accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox")


def test_unknown_name_is_not_found(accounts: Accounts):
    with pytest.raises(PersonNotFound):
        accounts.people.find("nobody")
