"""Signing in and out, and what a portal without visitors shows to people who are signed out."""

from __future__ import annotations

import pytest

from tests.accounts.passwords import PASSWORD
from tests.blueprints.sign_in_steps import is_signed_in, sign_in
from tests.support.clock import AdjustableClock
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.accounts import Accounts

# Run a portal without visitors.
pytestmark = pytest.mark.settings(sign_in="password", sign_in_idle_timeout=3_600)


def test_search_for_sign_out_leads_to_the_account(anna: Person):
    links = anna.get("/search?q=sign").html.select(".search-view__links a")

    assert [link["href"] for link in links] == ["/session"]


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
    assert "Your sign-in has ended." in page.html.select_one("#reason").get_text()
    assert page.html.select_one("#name[autofocus]")["aria-describedby"] == "reason"
    assert "Text that you typed is kept in this browser." in page.text


def test_sign_in_page_has_help_and_can_be_read_in_another_language(
    alice: Person, accounts: Accounts
):
    page = alice.press(alice.get("/conversations"), "Deutsch", language="de")
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


def test_signing_in_gives_a_new_session_id(
    alice: Person, bob: Person, accounts: Accounts, clock: AdjustableClock
):
    """A planted cookie gives no access."""
    form = alice.get("/session/new")
    bob.session.cookies.update(alice.session.cookies)
    alice.press(form, "Sign in", name="Anna", password=PASSWORD)

    assert not is_signed_in(bob)


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


def test_one_time_link_of_another_person_replaces_the_current_sign_in(
    anna: Person, accounts: Accounts
):
    path = f"/session/links/{accounts.create_link(accounts.people.add('Cleo'))}"
    anna.press(anna.get(path), "Save", password=PASSWORD)

    assert "Cleo" in anna.get("/session").text
    assert accounts.sign_ins.list_for_person(accounts.people.find("Anna").id) == []


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
