"""Signing in with name and password, and the limits of failed attempts."""

from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.clock import AdjustableClock
from tests.support.passwords import PASSWORD
from twindow.accounts import (
    Accounts,
    AttemptsExceeded,
    Person,
    UnsuitablePassword,
    WrongCredentials,
)

ADDRESS = "192.0.2.1"


def attempt(
    accounts: Accounts, name: str, password: str, address: str = ADDRESS, browser_token: str = ""
) -> str:
    """Try to sign in, and return the name of the outcome."""
    try:
        accounts.sign_in(name, password, address, "Firefox", browser_token)
    except (WrongCredentials, AttemptsExceeded) as error:
        return type(error).__name__
    return "signed in"


def test_wrong_password_unknown_name_and_disabled_person_look_alike_and_cost_the_same(
    accounts: Accounts, anna: Person, monkeypatch: pytest.MonkeyPatch
):
    disabled = accounts.people.add("Dora")
    accounts.use_link(accounts.create_link(disabled), PASSWORD, "Firefox")
    accounts.people.disable(disabled)
    accounts.people.add("Nora")  # has no password yet
    verified: list[str] = []
    verify = accounts.passwords._verify

    def count(stored_hash: str, password: str) -> bool:
        verified.append(password)
        return verify(stored_hash, password)

    monkeypatch.setattr(accounts.passwords, "_verify", count)
    attempts = [("Anna", "wrong"), ("Nobody", PASSWORD), ("Dora", PASSWORD), ("Nora", PASSWORD)]

    assert [attempt(accounts, *names) for names in attempts] == ["WrongCredentials"] * 4
    assert len(verified) == 4
    assert attempt(accounts, "an\0na", PASSWORD) == "WrongCredentials"


@pytest.mark.limit("L59")
def test_limit_of_an_account_holds_for_parallel_attempts_from_many_addresses(
    accounts: Accounts, anna: Person
):
    with ThreadPoolExecutor(10) as pool:
        outcomes = list(
            pool.map(lambda n: attempt(accounts, "Anna", "wrong", f"192.0.2.{n}"), range(30))
        )

    assert outcomes.count("WrongCredentials") == 3
    assert attempt(accounts, "anna", PASSWORD, "198.51.100.1") == "AttemptsExceeded"


@pytest.mark.limit("L60")
def test_limit_of_an_address_holds_for_many_names(accounts: Accounts, anna: Person):
    outcomes = [attempt(accounts, f"name {number}", "wrong") for number in range(50)]

    assert outcomes.count("WrongCredentials") == 5
    assert attempt(accounts, "Anna", PASSWORD) == "AttemptsExceeded"
    assert attempt(accounts, "Anna", PASSWORD, "198.51.100.1") == "signed in"


def test_limit_ends_after_the_stated_time(accounts: Accounts, anna: Person, clock: AdjustableClock):
    for _ in range(3):
        attempt(accounts, "Anna", "wrong")
    with pytest.raises(AttemptsExceeded) as raised:
        accounts.sign_in("Anna", PASSWORD, ADDRESS, "Firefox")

    clock.advance(raised.value.wait_seconds)
    assert attempt(accounts, "Anna", PASSWORD) == "signed in"


def test_simultaneous_attempts_with_the_right_password_all_succeed_and_count_towards_no_limit(
    accounts: Accounts, anna: Person
):
    with ThreadPoolExecutor(10) as pool:
        outcomes = list(pool.map(lambda _: attempt(accounts, "Anna", PASSWORD), range(50)))

    assert outcomes == ["signed in"] * 50


@pytest.mark.limit("L63")
def test_failures_of_others_do_not_lock_out_a_browser_that_has_signed_in_before(
    accounts: Accounts, anna: Person
):
    token = accounts.create_browser_token(anna.id)
    for number in range(50):
        attempt(accounts, "Anna", "wrong")
        attempt(accounts, f"name {number}", "wrong")

    assert attempt(accounts, "Anna", PASSWORD) == "AttemptsExceeded"
    assert attempt(accounts, "Anna", PASSWORD, browser_token=token) == "signed in"

    outcomes = [attempt(accounts, "Anna", "wrong", browser_token=token) for _ in range(30)]
    assert outcomes.count("WrongCredentials") == 3
    assert attempt(accounts, "Anna", PASSWORD, browser_token=token) == "AttemptsExceeded"


def test_browser_token_of_another_person_or_a_forged_one_gives_no_own_counter(
    accounts: Accounts, anna: Person
):
    ben = accounts.people.add("Ben")
    tokens = ["", ".", "x.y", "\u00e9.\u00e9", accounts.create_browser_token(ben.id)]
    for token in tokens:
        attempt(accounts, "Anna", "wrong", browser_token=token)

    assert {attempt(accounts, "Anna", PASSWORD, browser_token=token) for token in tokens} == {
        "AttemptsExceeded"
    }


def test_browser_token_ends_with_the_password(accounts: Accounts, anna: Person):
    token = accounts.create_browser_token(anna.id)
    accounts.use_link(accounts.reset(anna), PASSWORD, "Firefox")
    for _ in range(3):
        attempt(accounts, "Anna", "wrong")

    assert attempt(accounts, "Anna", PASSWORD, browser_token=token) == "AttemptsExceeded"


@pytest.mark.parametrize(
    ("failure_count", "max_wait_seconds", "outcome"),
    [(3, -1, "AttemptsExceeded"), (0, 0.01, "VerificationBusy")],
    ids=["refused", "limited"],
)
def test_attempt_does_not_wait_for_ever_while_another_password_is_verified(
    accounts: Accounts,
    anna: Person,
    monkeypatch: pytest.MonkeyPatch,
    failure_count: int,
    max_wait_seconds: float,
    outcome: str,
):
    outcomes: list[str] = []

    def attempt_meanwhile(stored_hash: str | None, password: str) -> bool:
        with ThreadPoolExecutor(1) as pool:
            outcomes.append(pool.submit(attempt, accounts, "Anna", PASSWORD).result(timeout=10))
        return False

    for _ in range(failure_count):
        attempt(accounts, "Anna", "wrong")
    monkeypatch.setattr(accounts.attempt_limits, "max_wait_seconds", max_wait_seconds)
    monkeypatch.setattr(accounts.passwords, "is_correct", attempt_meanwhile)
    attempt(accounts, "Ben", "wrong")

    assert outcomes == [outcome]


def test_success_resets_the_limit_of_the_account(accounts: Accounts, anna: Person):
    passwords = ["wrong", "wrong", PASSWORD, "wrong", "wrong", PASSWORD]

    assert [attempt(accounts, "Anna", password) for password in passwords][-1] == "signed in"


def test_password_that_is_reset_during_the_verification_is_rejected(
    accounts: Accounts, anna: Person, monkeypatch: pytest.MonkeyPatch
):
    is_correct = accounts.passwords.is_correct

    def reset_meanwhile(stored_hash: str | None, password: str) -> bool:
        accounts.reset(anna)
        return is_correct(stored_hash, password)

    monkeypatch.setattr(accounts.passwords, "is_correct", reset_meanwhile)

    assert attempt(accounts, "Anna", PASSWORD) == "WrongCredentials"


def test_long_names_and_passwords_are_cut_before_they_are_normalized(
    accounts: Accounts, anna: Person, monkeypatch: pytest.MonkeyPatch
):
    lengths: list[int] = []
    normalize = unicodedata.normalize

    def record_length(form: Any, text: str) -> str:
        lengths.append(len(text))
        return normalize(form, text)

    monkeypatch.setattr(unicodedata, "normalize", record_length)
    marks = "a" + "\u0316\u0301" * 20_000

    assert attempt(accounts, marks, marks) == "WrongCredentials"
    with pytest.raises(UnsuitablePassword):
        accounts.use_link(accounts.create_link(anna), marks, "Firefox")
    assert max(lengths) <= 1_024
