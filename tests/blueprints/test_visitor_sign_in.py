"""Visitors who sign in: what becomes of their conversations."""

from __future__ import annotations

import pytest

from tests.support.clock import AdjustableClock
from tests.support.person import Person, complete_first_turn
from tests.support.sign_in_steps import sign_in
from tests.support.upstream import Upstream
from twindow.accounts import Accounts

# Allow visitors.
pytestmark = pytest.mark.settings(sign_in="visitor,password", sign_in_idle_timeout=3_600)


@pytest.mark.usefixtures("accounts")
def test_conversations_of_the_visitor_are_adopted_only_on_request(
    alice: Person, upstream: Upstream
):
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path
    assert alice.get("/").html.select_one("a[href='/session/new']")
    question = sign_in(alice, path="/session/new?next=/conversations")
    assert question.path == "/session/adoption"
    assert "There is 1 conversation in this browser" in question.text
    assert len(question.html.select("main time")) == 2
    assert alice.get(path).status == 404

    page = alice.press(question, "Move to my account")
    assert page.path == "/conversations"
    assert "Hello" in page.text
    assert alice.get(path).status == 200
    alice.press(page, "Sign out")
    assert alice.get(path).status == 404


@pytest.mark.usefixtures("accounts")
def test_declined_conversations_stay_with_the_visitor_and_are_not_offered_again(
    alice: Person, upstream: Upstream
):
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path
    page = alice.press(sign_in(alice), "Leave them here")
    assert (page.path, alice.get(path).status) == ("/", 404)

    alice.press(page, "Sign out")
    assert alice.get(path).status == 200
    assert sign_in(alice).path == "/"
    alice.press(alice.get("/"), "Sign out")
    assert sign_in(alice, "Ben").path == "/session/adoption"


@pytest.mark.usefixtures("accounts")
def test_cookie_that_was_planted_before_the_sign_in_gives_no_access(
    alice: Person, bob: Person, upstream: Upstream
):
    alice.press(alice.get("/preferences"), "Save", theme="dark")
    bob.session.cookies.update(alice.session.cookies)
    sign_in(alice)
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path

    assert alice.get(path).status == 200
    assert bob.get("/").html.html["data-theme"] == "dark"
    assert bob.get(path).status == 404


def test_conversations_of_the_visitor_outlast_the_sign_in(
    alice: Person, upstream: Upstream, accounts: Accounts, clock: AdjustableClock
):
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path
    alice.press(sign_in(alice), "Leave them here")
    clock.advance(accounts.sign_ins.max_seconds + 86_400)

    assert alice.get(path).path == "/session/new"
    assert alice.get(path).status == 200


def test_adoption_of_conversations_needs_a_sign_in(alice: Person, upstream: Upstream):
    complete_first_turn(alice, upstream, "Hello", "Hi")
    _, fields = alice.get("/session/new").button_action("Sign in")

    assert alice.get("/session/adoption").path == "/"
    assert alice.post("/session/adoption", fields | {"adopt": "1"}).path == "/session/new"


def test_disabled_person_becomes_a_visitor_without_access_to_earlier_conversations(
    alice: Person, upstream: Upstream, accounts: Accounts
):
    sign_in(alice)
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path
    accounts.people.disable(accounts.people.find("Anna"))

    assert alice.get(path).path == "/session/new"
    assert alice.get(path).status == 404
    own_path = complete_first_turn(alice, upstream, "Hello again", "Hi").path
    assert alice.get(own_path).status == 200
