"""The account: where a person is signed in, and their password."""

from __future__ import annotations

import pytest

from tests.support.passwords import PASSWORD
from tests.support.person import Page, Person
from tests.support.sign_in_steps import is_signed_in, sign_in
from twindow.accounts import Accounts

# Run a portal without visitors.
pytestmark = pytest.mark.settings(sign_in="password")


def test_search_for_sign_out_leads_to_the_account(anna: Person):
    links = anna.get("/search?q=sign").html.select(".search-view__links a")

    assert [link["href"] for link in links] == ["/session"]


def test_person_sees_where_they_are_signed_in_and_signs_out_there(anna: Person, bob: Person):
    bob.session.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
    sign_in(bob)
    page = anna.get("/session")
    assert "Firefox, Linux" in page.text
    assert page.text.count("This browser") == 1
    assert len(page.html.select(".access-list li")) == 2

    [other] = page.html.select(".access-list form[action*=sign-ins]")
    fields = {str(field["name"]): str(field["value"]) for field in other.select("input")}
    assert anna.post(str(other["action"]), fields).path == "/session"
    assert (is_signed_in(anna), is_signed_in(bob)) == (True, False)


def test_person_signs_out_everywhere(anna: Person, bob: Person):
    sign_in(bob)
    anna.press(anna.get("/session"), "Sign out everywhere", everywhere="1")

    assert (is_signed_in(anna), is_signed_in(bob)) == (False, False)


def change_password(person: Person, password: str, new_password: str) -> Page:
    fields = {"password": password, "new_password": new_password}
    return person.press(person.get("/session"), "Change password", **fields)


NEW_PASSWORD = "a longer " + PASSWORD


def test_person_changes_their_password_and_other_browsers_are_signed_out(anna: Person, bob: Person):
    sign_in(bob)
    page = change_password(anna, PASSWORD, NEW_PASSWORD)

    notice = page.html.select_one("[role=group][autofocus]")["aria-label"]
    assert notice == "Your password is changed. All other browsers are signed out."
    assert (is_signed_in(anna), is_signed_in(bob)) == (True, False)
    assert (sign_in(bob).status, sign_in(bob, password=NEW_PASSWORD).status) == (403, 200)


def test_password_stays_after_a_change_that_is_rejected(
    anna: Person, bob: Person, accounts: Accounts
):
    accounts.attempt_limits.account_limit = 2
    short = change_password(anna, PASSWORD, "short")
    guesses = [change_password(anna, guess, NEW_PASSWORD) for guess in ("one", "two", PASSWORD)]

    assert short.status == 422
    assert "Choose a password of at least 12 characters" in short.text
    # In a browser that was left signed in, the password can be guessed only a few times.
    assert [guess.status for guess in guesses] == [403, 403, 429]
    assert "Your current password is wrong." in guesses[0].text
    accounts.attempt_limits.account_limit = 9
    assert sign_in(bob).status == 200
