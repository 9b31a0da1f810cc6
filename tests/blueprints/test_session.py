"""Signing in and out, and what a portal without visitors shows to people who are signed out."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

from accounts import Accounts
from tests.accounts.passwords import PASSWORD
from tests.blueprints.sign_in_steps import add_people, is_signed_in, sign_in
from tests.support.cases import failures
from tests.support.clock import AdjustableClock
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn
from tests.support.upstream import Upstream
from web.container import Portal

PUBLIC_PATHS = re.compile(
    r"/(session|static|livez|healthz|readyz|favicon|manifest|robots|preferences|help)"
)
# Redirect targets that the portal refuses: invalid paths, and URLs of other sites, some of them
# disguised as paths.
FOREIGN_TARGETS = (
    "//evil.example",
    "/\\evil.example",
    "\\\\evil.example",
    "https://evil.example",
    "/\t/evil",
    "javascript:alert(1)",
    "/\n/evil.example",
    "//evil.example/%2f..",
    "evil.example",
    "/é",
    "///evil.example",
    "/\\/evil.example",
    "http:evil.example",
    "/" + "x" * 2_000,
)


# Run a portal without visitors.
pytestmark = pytest.mark.settings(sign_in="password", sign_in_idle_timeout=3_600)


@pytest.fixture
def accounts(portal: Portal) -> Accounts:
    """Add Anna and Ben, and return the accounts."""
    return add_people(portal)


@pytest.fixture
def anna(accounts: Accounts, alice: Person) -> Person:
    """Return a browser in which Anna is signed in."""
    assert sign_in(alice).status == 200
    return alice


def test_search_for_sign_out_leads_to_the_account(anna: Person):
    links = anna.get("/search?q=sign").html.select(".search-view__links a")

    assert [link["href"] for link in links] == ["/session"]


def test_every_url_that_is_not_public_leads_signed_out_people_to_the_sign_in_page(
    app: Flask, alice: Person, accounts: Accounts
):
    def check(url: tuple[str, str]) -> None:
        method, path = url
        response = alice.session.request(
            method, alice.base_url + path, allow_redirects=False, timeout=10
        )
        assert response.status_code == 303
        assert response.headers["Location"].startswith("/session/new")

    urls = {
        (method, re.sub(r"<[^>]*>", "0123456789ab", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in (rule.methods or set()) & {"GET", "POST"}
        if not PUBLIC_PATHS.match(rule.rule) and rule.endpoint != "events.show"
    } | {("GET", "/no/such/page")}
    assert len(urls) > 20
    assert failures(check, {f"{method} {path}": (method, path) for method, path in urls}) == {}


def test_sign_in_is_logged_with_the_name_and_the_address(
    alice: Person, accounts: Accounts, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO", "twindow.audit")
    sign_in(alice, "anna")

    assert caplog.messages == ["“Anna” has signed in with a password, from 127.0.0.1."]


def test_failed_sign_in_is_logged_with_the_address_and_without_the_name(
    alice: Person, accounts: Accounts, caplog: pytest.LogCaptureFixture
):
    sign_in(alice, "my-password-by-mistake", "wrong")

    assert [r.getMessage() for r in caplog.records if r.name == "twindow.audit"] == [
        "A sign-in from 127.0.0.1 is refused: the name or the password is wrong."
    ]
    assert "my-password-by-mistake" not in caplog.text


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
    page = sign_in(alice, path="/conversations?twin=ada")

    assert page.response.url == f"{alice.base_url}/conversations?twin=ada"


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


def test_person_returns_to_a_page_whose_url_is_encoded(alice: Person, accounts: Accounts):
    page = sign_in(alice, path="/twins/z%C3%BCrich%20west?q=%C3%BC")

    assert page.response.url == f"{alice.base_url}/twins/z%C3%BCrich%20west?q=%C3%BC"


@pytest.mark.parametrize("referrer", ["http://[", "http://[::1", "//[", "x" * 9])
def test_malformed_referrer_leads_to_the_sign_in_page(
    alice: Person, accounts: Accounts, referrer: str
):
    response = alice.session.post(
        f"{alice.base_url}/keys", headers={"Referer": referrer}, allow_redirects=False, timeout=10
    )

    assert (response.status_code, response.headers["Location"]) == (303, "/session/new")


@pytest.mark.parametrize("target", FOREIGN_TARGETS)
def test_signing_in_with_a_foreign_redirect_target_leads_to_the_home_page(
    alice: Person, accounts: Accounts, target: str
):
    form = alice.get("/session/new")
    page = alice.press(form, "Sign in", name="Anna", password=PASSWORD, next=target)

    assert page.response.url == f"{alice.base_url}/"


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
    statuses = [sign_in(alice, password="wrong").status for _ in range(12)]
    page = sign_in(alice)

    assert statuses == [403] * 10 + [429] * 2
    assert page.status == 429
    assert 0 < int(page.response.headers["Retry-After"]) <= 900
    assert "too many attempts" in page.text
    assert page.html.select("[aria-invalid]") == []


@pytest.mark.usefixtures("accounts")
def test_browser_in_which_the_person_signed_in_before_still_signs_in_while_others_fail(
    alice: Person, bob: Person
):
    alice.press(sign_in(alice), "Sign out")
    for _ in range(12):
        sign_in(bob, password="wrong")

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
    assert (after.path, after.html.select_one("[role=status].lead").get_text()) == (
        "/session/new",
        "You are signed out.",
    )
    assert not is_signed_in(bob)
    assert not is_signed_in(anna)
    assert "twindow" not in anna.session.cookies


def test_preferences_of_the_browser_survive_signing_in_and_out(anna: Person):
    anna.press(anna.get("/preferences"), "Save", theme="dark")
    page = anna.press(anna.get("/"), "Sign out")
    assert page.html.html["data-theme"] == "dark"
    assert sign_in(anna).html.html["data-theme"] == "dark"


def test_people_do_not_see_conversations_of_each_other(
    anna: Person, bob: Person, upstream: Upstream
):
    path = complete_first_turn(anna, upstream, "Hello", "Hi").path
    sign_in(bob, "Ben")

    assert bob.get(path).status == 404
    anna.press(anna.get("/"), "Sign out")
    sign_in(anna, "Ben")
    assert anna.get(path).status == 404
    anna.press(anna.get("/"), "Sign out")
    sign_in(anna)
    assert "Hi" in anna.get(path).text


@pytest.mark.parametrize("end", ["disable", "reset", "sign out", "expire"])
def test_open_stream_ends_when_the_sign_in_ends(
    anna: Person, upstream: Upstream, accounts: Accounts, clock: AdjustableClock, end: str
):
    page = anna.start_conversation("Hello")
    call = upstream.next_call().start_stream()
    with anna.follow(str(page.turns[0]["data-turn"])) as stream:
        call.delta("First. ")
        stream.read_until("First.")
        if end == "disable":
            accounts.people.disable(accounts.people.find("Anna"))
        elif end == "reset":
            accounts.reset(accounts.people.find("Anna"))
        elif end == "sign out":
            anna.press(anna.get("/"), "Sign out")
        clock.advance(3_601 if end == "expire" else 2)
        call.delta("Second.")
        rest = "".join(event.data for event in stream.remaining_events())

    assert "your session has ended" in rest
    assert "Second" not in rest


def test_noscript_page_with_a_running_reply_ends_when_the_sign_in_ends(
    anna: Person, upstream: Upstream, accounts: Accounts, clock: AdjustableClock
):
    page = anna.start_conversation("Hello")
    call = upstream.next_call().start_stream()
    response = anna.session.get(f"{anna.base_url}{page.path}?follow=1", stream=True, timeout=10)
    call.delta("First. ")
    chunks = response.iter_content(None)
    while b"First." not in next(chunks):
        pass
    accounts.people.disable(accounts.people.find("Anna"))
    clock.advance(2)
    call.delta("Second.")
    rest = b"".join(chunks)

    assert b"your session has ended" in rest
    assert b"Second" not in rest


def test_idle_session_leads_to_the_sign_in_page(anna: Person, clock: AdjustableClock):
    clock.advance(3_500)
    assert is_signed_in(anna)
    clock.advance(3_601)
    assert not is_signed_in(anna)


def test_person_sees_where_they_are_signed_in_and_signs_out_there(
    anna: Person, bob: Person, accounts: Accounts
):
    bob.session.headers["User-Agent"] = "Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0"
    sign_in(bob)
    page = anna.get("/session")
    assert "Firefox, Linux" in page.text
    assert page.text.count("This browser") == 1

    assert len(page.html.select(".access-list li")) == 2
    other = next(
        form for form in page.html.select(".access-list form") if "sign-ins" in form["action"]
    )
    fields = {str(field["name"]): str(field["value"]) for field in other.select("input")}
    assert anna.post(str(other["action"]), fields).path == "/session"
    assert (is_signed_in(anna), is_signed_in(bob)) == (True, False)


def test_person_signs_out_everywhere(anna: Person, bob: Person):
    sign_in(bob)
    anna.press(anna.get("/session"), "Sign out everywhere", everywhere="1")

    assert (is_signed_in(anna), is_signed_in(bob)) == (False, False)


def test_person_changes_their_password_and_other_browsers_are_signed_out(anna: Person, bob: Person):
    sign_in(bob)
    new_password = "a longer " + PASSWORD
    page = anna.press(
        anna.get("/session"), "Change password", password=PASSWORD, new_password=new_password
    )

    notice = page.html.select_one("[role=group][autofocus]")["aria-label"]
    assert notice == "Your password is changed. All other browsers are signed out."
    assert (is_signed_in(anna), is_signed_in(bob)) == (True, False)
    assert (sign_in(bob).status, sign_in(bob, password=new_password).status) == (403, 200)


@pytest.mark.parametrize(
    ("password", "new_password", "status", "sentence"),
    [
        ("wrong", "a longer " + PASSWORD, 403, "Your current password is wrong."),
        (PASSWORD, "short", 422, "Choose a password of at least 12 characters"),
    ],
)
def test_password_stays_after_a_change_that_is_rejected(
    anna: Person, bob: Person, password: str, new_password: str, status: int, sentence: str
):
    page = anna.press(
        anna.get("/session"), "Change password", password=password, new_password=new_password
    )

    assert (page.status, sentence in page.text) == (status, True)
    assert sign_in(bob).status == 200


def test_guessing_the_password_of_a_browser_that_was_left_signed_in_is_limited(
    anna: Person, accounts: Accounts
):
    accounts.account_limit = 2
    statuses = [
        anna.press(
            anna.get("/session"), "Change password", password=guess, new_password=PASSWORD
        ).status
        for guess in ("one", "two", PASSWORD)
    ]

    assert statuses == [403, 403, 429]


def test_sign_in_of_another_person_is_not_found(anna: Person, bob: Person, accounts: Accounts):
    sign_in(bob, "Ben")
    [other] = accounts.sign_ins.list_for_person(accounts.people.find("Ben").id)[:1]
    _, fields = anna.get("/session").button_action("Sign out")

    assert anna.post(f"/session/sign-ins/{other.id}/deletion", fields).status == 404
    assert is_signed_in(bob)


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


def test_avatar_requires_a_sign_in(anna: Person, bob: Person, new_person: Callable[[], Person]):
    path = "/avatars/ada/x"
    signed_in, signed_out = (
        anna.get(path),
        bob.session.get(bob.base_url + path, allow_redirects=False, timeout=10),
    )

    assert signed_in.status == 200
    assert signed_out.status_code == 303


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


def test_export_ends_when_the_sign_in_ends(
    app: Flask, anna: Person, upstream: Upstream, accounts: Accounts, clock: AdjustableClock
):
    page = complete_first_turn(anna, upstream, "Hello", "Secret reply")
    client = app.test_client()
    for cookie in anna.session.cookies:
        client.set_cookie(cookie.name, str(cookie.value))
    chunks = client.get(f"{page.path}/export?format=md").iter_encoded()
    first = next(chunks)
    accounts.people.disable(accounts.people.find("Anna"))
    clock.advance(2)

    assert b"Hello" in first
    assert b"Secret reply" not in b"".join(chunks)
