"""One-time links with which people set their passwords."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from tests.support.clock import AdjustableClock
from tests.support.passwords import PASSWORD
from twindow.accounts import Accounts, InvalidLink, Person, UnsuitablePassword, WrongCredentials
from twindow.accounts.schema import one_time_links


@pytest.mark.both_databases
@pytest.mark.limit("L62")
def test_link_works_once_even_in_parallel(accounts: Accounts):
    token = accounts.create_link(accounts.people.add("Ben"))

    def use(number: int) -> str:
        try:
            accounts.use_link(token, f"{PASSWORD} {number}", "Firefox")
        except InvalidLink:
            return "invalid"
        return f"{PASSWORD} {number}"

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(use, range(8)))
    [password] = [outcome for outcome in outcomes if outcome != "invalid"]
    assert accounts.sign_in("Ben", password, "192.0.2.1", "Firefox")


def test_link_expires_after_a_day(accounts: Accounts, clock: AdjustableClock):
    token = accounts.create_link(accounts.people.add("Ben"))
    clock.advance(24 * 3600 - 1)
    assert accounts.find_by_link(token).name == "Ben"
    clock.advance(2)
    with pytest.raises(InvalidLink):
        accounts.use_link(token, PASSWORD, "Firefox")


def test_new_link_replaces_the_earlier_one(accounts: Accounts):
    ben = accounts.people.add("Ben")
    earlier, newer = accounts.create_link(ben), accounts.create_link(ben)

    with pytest.raises(InvalidLink):
        accounts.find_by_link(earlier)
    assert accounts.find_by_link(newer) == ben


def test_link_of_a_disabled_person_is_invalid(accounts: Accounts):
    ben = accounts.people.add("Ben")
    token = accounts.create_link(ben)
    accounts.people.disable(ben)

    with pytest.raises(InvalidLink):
        accounts.use_link(token, PASSWORD, "Firefox")
    accounts.people.enable(ben)
    with pytest.raises(InvalidLink):
        accounts.find_by_link(token)


def test_setting_a_password_by_link_unblocks_a_person_with_too_many_failed_sign_ins(
    accounts: Accounts, anna: Person
):
    for _ in range(3):
        with pytest.raises(WrongCredentials):
            accounts.sign_in("Anna", "wrong", "192.0.2.1", "Firefox")
    accounts.use_link(accounts.reset(anna), "another password", "Firefox")

    assert accounts.sign_in("Anna", "another password", "192.0.2.1", "Firefox")


def test_token_is_not_stored(accounts: Accounts):
    token = accounts.create_link(accounts.people.add("Ben"))
    with accounts.database.read() as connection:
        row = connection.execute(select(one_time_links)).one()

    assert token not in repr(row)


def test_unsuitable_password_leaves_the_link_valid(accounts: Accounts):
    token = accounts.create_link(accounts.people.add("A person name"))

    for password in ("", "x" * 11, "x" * 257, "A PERSON name"):
        with pytest.raises(UnsuitablePassword):
            accounts.use_link(token, password, "Firefox")
    assert accounts.find_by_link(token)


def test_password_matches_in_composed_and_decomposed_unicode_form(accounts: Accounts):
    token = accounts.create_link(accounts.people.add("Ben"))
    accounts.use_link(token, "e\u0301tude in a minor key", "Firefox")

    assert accounts.sign_in("Ben", "\u00e9tude in a minor key", "192.0.2.1", "Firefox")


def test_reset_ends_all_sign_ins_and_invalidates_the_password(accounts: Accounts, anna: Person):
    sign_in = accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox")
    token = accounts.reset(anna)

    assert accounts.sign_ins.find_person(sign_in.id) is None
    with pytest.raises(WrongCredentials):
        accounts.sign_in("Anna", PASSWORD, "192.0.2.1", "Firefox")
    accounts.use_link(token, "another password", "Firefox")
    assert accounts.sign_in("Anna", "another password", "192.0.2.1", "Firefox")
