"""How long a sign-in lasts, and how it ends."""

from __future__ import annotations

import pytest

from tests.support.clock import AdjustableClock
from tests.support.passwords import PASSWORD
from twindow.accounts import Accounts, Person
from twindow.accounts.sign_ins import MAX_SIGN_INS_PER_PERSON
from twindow.core.db.errors import DatabaseUnavailable


def sign_in(accounts: Accounts, device: str = "Firefox") -> str:
    return accounts.sign_in("Anna", PASSWORD, "192.0.2.1", device).id


def test_sign_in_ends_when_it_is_idle_although_a_stream_is_open(
    accounts: Accounts, anna: Person, clock: AdjustableClock
):
    sign_in_id = sign_in(accounts)
    clock.advance(999)
    person = accounts.sign_ins.find_person(sign_in_id, is_request=False)
    assert person is not None
    assert person.id == anna.id
    clock.advance(2)
    assert accounts.sign_ins.find_person(sign_in_id) is None


def test_requests_prolong_a_sign_in_up_to_its_maximum_age(
    accounts: Accounts, anna: Person, clock: AdjustableClock
):
    sign_in_id = sign_in(accounts)
    for _ in range(19):
        clock.advance(500)
        assert accounts.sign_ins.find_person(sign_in_id)
    clock.advance(501)
    assert accounts.sign_ins.find_person(sign_in_id) is None


@pytest.mark.limit("L61")
def test_oldest_sign_ins_end_when_a_person_exceeds_the_limit(
    accounts: Accounts, anna: Person, clock: AdjustableClock
):
    ids = []
    with accounts.database.write() as connection:
        for _ in range(10 * MAX_SIGN_INS_PER_PERSON):
            clock.advance(1)
            ids.append(accounts.sign_ins.add(connection, anna.id, "Firefox").id)

    listed = [item.id for item in accounts.sign_ins.list_for_person(anna.id)]
    assert listed == ids[: -MAX_SIGN_INS_PER_PERSON - 1 : -1]


def test_sign_in_of_another_person_cannot_be_ended(accounts: Accounts, anna: Person):
    sign_in_id = sign_in(accounts)
    other = accounts.people.add("Ben")

    assert not accounts.sign_ins.end_of_person(sign_in_id, other.id)
    assert accounts.sign_ins.find_person(sign_in_id)
    assert accounts.sign_ins.end_of_person(sign_in_id, anna.id)
    assert accounts.sign_ins.find_person(sign_in_id) is None


def test_locked_database_does_not_sign_anybody_out(
    accounts: Accounts, anna: Person, clock: AdjustableClock, monkeypatch: pytest.MonkeyPatch
):
    def refuse(**_: object) -> None:
        raise DatabaseUnavailable

    sign_in_id = sign_in(accounts)
    clock.advance(500)
    monkeypatch.setattr(accounts.database, "write", refuse)

    assert accounts.sign_ins.find_person(sign_in_id)
