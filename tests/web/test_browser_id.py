"""The id of a browser, by which its first forms belong together."""

from __future__ import annotations

from tests.support.clock import AdjustableClock
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream

COOKIE = "twindow-id"
DAY = 86_400


def test_page_sets_a_random_id_that_lasts_a_year(alice: Person, bob: Person):
    for person in (alice, bob):
        person.get("/")
    [cookie] = alice.session.cookies

    assert cookie.name == COOKIE
    assert cookie.expires
    assert cookie.expires > 300 * DAY
    assert cookie.value != bob.session.cookies[COOKIE]
    assert "Set-Cookie" not in alice.get("/conversations").response.headers


def test_form_of_a_page_that_was_open_for_days_is_accepted(
    alice: Person, clock: AdjustableClock, upstream: Upstream
):
    page = alice.get("/twins/ada")
    clock.advance(300 * DAY)

    assert alice.press(page, "Send", content="Hello").status == 200
    upstream.next_call().start_stream().complete("Hi")


def test_two_copies_of_a_page_belong_to_two_people(alice: Person, bob: Person, upstream: Upstream):
    bob.get("/")
    form = alice.get("/twins/ada")
    page = complete_first_turn(alice, upstream, "a secret", "Hi")

    other = bob.press(form, "Send", content="Hello")

    assert other.path != page.path
    assert bob.get(page.path).status == 404


def test_message_without_an_id_creates_no_person_and_is_returned(alice: Person, upstream: Upstream):
    _, fields = alice.get("/twins/ada").button_action("Send")
    alice.session.cookies.clear()

    for cookies in ({}, {"Cookie": f"{COOKIE}=short"}):
        page = alice.post("/conversations", fields | {"content": "Hello"}, **cookies)
        assert page.status == 400
        assert "Nothing was sent, because your browser doesn't accept cookies." in page.text
        assert "Hello" in page.text
        assert page.html.select_one("a[target=_blank]")["href"] == "/"
        alice.session.cookies.clear()
    assert upstream.sent_messages() == []


def test_malformed_cookie_that_another_host_has_set_does_not_hide_the_id(alice: Person):
    action, fields = alice.get("/preferences").button_action("Save")
    cookies = f"{COOKIE}=planted; {COOKIE}={alice.session.cookies[COOKIE]}"
    alice.session.cookies.clear()

    assert alice.post(action, fields | {"theme": "dark"}, Cookie=cookies).status == 200
