"""Open streams end when the person may no longer read them, but survive an outage."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator

import pytest
from flask import Flask, session

from tests.support.clock import AdjustableClock
from tests.support.passwords import PASSWORD
from tests.support.sign_in_steps import add_people
from twindow.accounts import Accounts, Person
from twindow.core.db.errors import DatabaseUnavailable
from twindow.web.container import Portal
from twindow.web.person.revocation import CHECK_SECONDS, _check_frames, while_signed_in
from twindow.web.session.fields import SIGN_IN_FIELD

PROXY = {"REMOTE_ADDR": "10.0.0.7", "HTTP_X_REMOTE_USER": "anna"}


def frames(clock: AdjustableClock) -> Generator[str]:
    for number in range(5):
        clock.advance(CHECK_SECONDS)
        yield str(number)


def last_frames() -> Generator[str]:
    yield "end"


@pytest.fixture
def accounts(portal: Portal) -> Accounts:
    """Add people, and put Anna into the group of the twin."""
    accounts = add_people(portal)
    accounts.people.set_groups(accounts.people.find("Anna"), ["staff"])
    return accounts


# What ends the access of Anna to the twin.
ENDS: dict[str, Callable[[Accounts, Person], object]] = {
    "disabled": lambda accounts, anna: accounts.people.disable(anna),
    "password reset": lambda accounts, anna: accounts.reset(anna),
    "signed out": lambda accounts, anna: accounts.sign_ins.end_all(anna.id),
    "out of the group": lambda accounts, anna: accounts.people.set_groups(anna, []),
}


@pytest.mark.settings(sign_in="password", twin_groups="ada=staff")
@pytest.mark.parametrize("end", ENDS)
def test_stream_ends_when_the_person_may_no_longer_read_it(
    app: Flask, accounts: Accounts, clock: AdjustableClock, end: str
):
    with app.test_request_context():
        session[SIGN_IN_FIELD] = accounts.sign_in("Anna", PASSWORD, "", "").id
        stream = while_signed_in(frames(clock), last_frames(), twin_id="ada")
        first = next(stream)
        ENDS[end](accounts, accounts.people.find("Anna"))

        assert [first, *stream] == ["0", "end"]


@pytest.mark.settings(sign_in="password", sign_in_idle_timeout=3 * CHECK_SECONDS)
def test_stream_does_not_prolong_a_sign_in(app: Flask, accounts: Accounts, clock: AdjustableClock):
    with app.test_request_context():
        session[SIGN_IN_FIELD] = accounts.sign_in("Anna", PASSWORD, "", "").id

        assert list(while_signed_in(frames(clock), last_frames())) == ["0", "1", "end"]


@pytest.mark.settings(sign_in="proxy", proxy_user_header="X-Remote-User", proxy_networks="10.0.0.7")
def test_stream_ends_when_a_person_of_the_proxy_is_disabled(
    app: Flask, portal: Portal, clock: AdjustableClock
):
    with app.test_request_context(environ_overrides=PROXY):
        stream = while_signed_in(frames(clock), last_frames())
        first = next(stream)
        portal.accounts.people.disable(portal.accounts.people.find("proxy:anna"))

        assert [first, *stream] == ["0", "end"]


def test_stream_survives_an_outage_of_the_database_and_ends_with_the_sign_in(
    app: Flask, clock: AdjustableClock
):
    answers: Iterator[bool | None] = iter((True, None, None, False))

    def is_signed_in() -> bool:
        answer = next(answers)
        if answer is None:
            raise DatabaseUnavailable
        return answer

    with app.app_context():
        received = list(_check_frames(frames(clock), last_frames(), is_signed_in))

    assert received == ["0", "1", "2", "end"]
