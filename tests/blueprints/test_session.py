"""Signing in and out, and what a portal without visitors shows to people who are signed out."""

from __future__ import annotations

import pytest

from tests.support.clock import AdjustableClock
from tests.support.passwords import PASSWORD
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn
from tests.support.sign_in_steps import is_signed_in, sign_in
from tests.support.upstream import Upstream
from twindow.accounts import Accounts

# Run a portal without visitors.
pytestmark = pytest.mark.settings(sign_in="password", sign_in_idle_timeout=3_600)


def test_signed_out_fragment_request_gets_the_header_that_opens_the_sign_in_page(
    alice: Person, accounts: Accounts
):
    page = alice.get(
        "/conversations",
        **HTMX_HEADERS,
        **{"HX-Current-URL": f"{alice.base_url}/conversations?q=a"},
    )

    assert (page.status, page.response.text) == (204, "")
    assert page.response.headers["HX-Redirect"] == "/session/new?next=/conversations?q%3Da&ended=1"


def test_event_stream_tells_signed_out_people_that_their_session_has_ended(
    alice: Person, accounts: Accounts
):
    response = alice.session.get(f"{alice.base_url}/turns/abc/events", timeout=10)

    assert response.headers["Content-Type"].startswith("text/event-stream")
    assert "your session has ended" in response.text
    assert "event: done" in response.text


def test_person_returns_to_the_requested_page_after_signing_in(alice: Person, accounts: Accounts):
    path = "/twins/z%C3%BCrich%20west?q=%C3%BC"
    assert sign_in(alice, path=path).response.url == f"{alice.base_url}{path}"


def test_person_who_signs_in_is_not_led_to_another_site(alice: Person, accounts: Accounts):
    form = alice.get("/session/new?next=//evil.example")
    assert form.hidden_fields("/session")["next"] == "/"

    page = alice.press(form, "Sign in", name="Anna", password=PASSWORD, next="//evil.example")
    assert page.response.url == f"{alice.base_url}/"


def test_sign_ins_are_logged_with_the_address_but_without_a_wrong_name(
    alice: Person, accounts: Accounts, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO", "twindow.audit")
    sign_in(alice, "my-password-by-mistake", "wrong")
    sign_in(alice, "anna")

    assert [record.getMessage() for record in caplog.records if record.name == "twindow.audit"] == [
        "A sign-in from 127.0.0.1 is refused: the name or the password is wrong.",
        "“Anna” has signed in with a password, from 127.0.0.1.",
    ]
    assert "my-password-by-mistake" not in caplog.text


def test_sign_in_page_says_why_it_is_shown(
    alice: Person, accounts: Accounts, clock: AdjustableClock
):
    assert "Sign in to see this page." not in alice.get("/").text
    assert "Sign in to see this page." in alice.get("/conversations").text
    assert sign_in(alice).status == 200
    clock.advance(3_601)
    page = alice.get("/conversations")
    assert "Your session has expired." in page.html.select_one("#reason").get_text()
    assert page.html.select_one("#name[autofocus]")["aria-describedby"] == "reason"
    assert "Your text is saved in this browser." in page.text


def test_sign_in_page_has_help_and_can_be_read_in_another_language(
    alice: Person, accounts: Accounts
):
    page = alice.press(alice.get("/conversations"), "Save", language="de")
    assert "Melden Sie sich an, um diese Seite zu sehen." in page.text
    assert alice.get("/help").path == "/help"
    page = alice.press(page, "Anmelden", name="Anna", password=PASSWORD)
    assert page.path == "/conversations"


def test_wrong_credentials_are_rejected_without_saying_which_part_is_wrong(
    alice: Person, accounts: Accounts
):
    pages = [
        sign_in(alice, name, password)
        for name, password in (("Anna", "wrong password"), ("Nobody", PASSWORD), ("", ""))
    ]

    for page in pages:
        assert page.status == 403
        assert "The name or the password is wrong." in page.text
        assert PASSWORD not in page.response.text
    assert pages[0].html.select_one("#name")["value"] == "Anna"
    assert not is_signed_in(alice)


def test_too_many_attempts_get_status_429_with_the_time_to_wait(alice: Person, accounts: Accounts):
    accounts.attempt_limits.account_limit = 2
    statuses = [sign_in(alice, password="wrong").status for _ in range(3)]
    page = sign_in(alice)

    assert [*statuses, page.status] == [403, 403, 429, 429]
    assert 0 < int(page.response.headers["Retry-After"]) <= 900
    assert "too many attempts" in page.text
    assert page.html.select("[aria-invalid]") == []


def test_browser_in_which_the_person_signed_in_before_still_signs_in_while_others_fail(
    alice: Person, bob: Person, accounts: Accounts
):
    accounts.attempt_limits.account_limit = 1
    alice.press(sign_in(alice), "Sign out")

    assert sign_in(bob, password="wrong").status == 403
    assert sign_in(bob).status == 429
    sign_in(alice)
    assert is_signed_in(alice)


def test_form_with_another_name_in_a_second_tab_signs_this_person_in(
    alice: Person, accounts: Accounts
):
    form = alice.get("/session/new")
    sign_in(alice)
    accounts.use_link(accounts.create_link(accounts.people.add("Bert")), PASSWORD, "")

    page = alice.press(form, "Sign in", name="Bert", password="wrong")
    assert page.status == 403
    alice.press(form, "Sign in", name="Bert", password=PASSWORD)
    assert "Bert" in alice.get("/session").text


def test_sign_in_form_in_a_second_tab_takes_a_signed_in_person_to_the_requested_page(
    alice: Person, accounts: Accounts
):
    form = alice.get("/session/new?next=/conversations")
    sign_in(alice)

    assert alice.press(form, "Sign in", name="Anna", password="").path == "/conversations"


def test_signed_out_cookie_is_worthless(anna: Person, bob: Person):
    page = anna.get("/session")
    bob.session.cookies.update(anna.session.cookies)
    assert is_signed_in(bob)

    after = anna.press(page, "Sign out")
    assert after.path == "/session/new"
    assert after.html.select_one("[role=status].lead").get_text() == "You are signed out."
    assert not is_signed_in(bob)
    assert not is_signed_in(anna)
    assert "twindow" not in anna.session.cookies


def test_preferences_of_the_browser_survive_signing_in_and_out(anna: Person):
    anna.press(anna.get("/preferences"), "Save", theme="dark")
    page = anna.press(anna.get("/"), "Sign out")
    assert page.html.html["data-theme"] == "dark"
    assert sign_in(anna).html.html["data-theme"] == "dark"


def test_next_person_in_the_same_browser_does_not_see_the_conversations(
    anna: Person, upstream: Upstream
):
    path = complete_first_turn(anna, upstream, "Hello", "Hi").path
    anna.press(anna.get("/"), "Sign out")
    sign_in(anna, "Ben")
    assert anna.get(path).status == 404
    anna.press(anna.get("/"), "Sign out")
    sign_in(anna)
    assert "Hi" in anna.get(path).text
