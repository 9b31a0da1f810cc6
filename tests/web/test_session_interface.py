"""Sessions of visitors and people, and the cookies that lead to them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from flask import Flask, current_app, session
from sqlalchemy import select
from werkzeug.test import Client

from tests.support.clock import AdjustableClock
from tests.support.databases import FULL, NORMAL, on_sqlite, record_commit_levels
from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.web.container import Portal
from twindow.web.session.fields import EXTENDED_DAY_FIELD
from twindow.web.session.rows import SessionRows, sessions

INVALID_COOKIES = ('"\\000"', '"a\\000b"', "x" * 3_000, '"\\303\\050"')
DAY = 86_400
ID_COOKIE = "twindow-id"


@pytest.fixture
def settings(tmp_path: Path, upstream: Upstream, database_url: str) -> dict[str, Any]:
    """Run the portal on each kind of database."""
    there = {"data_dir": tmp_path / "data", "database_url": database_url}
    return there | {"api_url": upstream.url, "api_key": "key"}


def stored_rows(portal: Portal) -> list[Any]:
    with portal.database.read() as connection:
        return list(connection.execute(select(sessions)).all())


def save_preferences(person: Person) -> None:
    assert person.press(person.get("/preferences"), "Save", theme="dark").status == 200


def plant_cookies(attacker: Person, victim: Person) -> None:
    """Set the attacker's cookies in the victim's browser, as a sibling host can."""
    victim.session.cookies.update(attacker.session.cookies)


def test_invalid_cookie_starts_a_new_session(alice: Person, portal: Portal):
    for number, (cookie, name) in enumerate(product(INVALID_COOKIES, ("twindow", ID_COOKIE)), 1):
        alice.session.cookies.clear()
        alice.session.cookies.set(name, cookie, domain="127.0.0.1")
        save_preferences(alice)
        assert alice.get("/").html.html["data-theme"] == "dark", (name, cookie)
        assert len(stored_rows(portal)) == number, (name, cookie)


@on_sqlite
def test_new_session_is_on_the_disk_like_the_message_that_created_it(portal: Portal):
    levels = record_commit_levels(portal.database)
    rows = SessionRows(portal.database)
    for new_value in ({}, None):
        rows.merge("key", {"a": 1}, (), new_value=new_value, replaced_key=None, seconds=60)

    assert levels == [FULL, NORMAL]


def test_visitor_has_no_session_until_a_message_is_accepted(
    alice: Person, upstream: Upstream, portal: Portal
):
    assert alice.start_conversation("too long " * 4_000).status == 413
    assert stored_rows(portal) == []
    assert [cookie.name for cookie in alice.session.cookies] == [ID_COOKIE]

    complete_first_turn(alice, upstream, "Hello", "Hi")
    assert len(stored_rows(portal)) == 1
    assert {cookie.name for cookie in alice.session.cookies} == {ID_COOKIE, "twindow"}


def remaining_days(person: Person, portal: Portal, clock: AdjustableClock) -> tuple[int, int]:
    """Return the lifetimes of the newest session, in the database and in the browser."""
    row = max(stored_rows(portal), key=lambda row: row.expires_at)
    [expires] = [cookie.expires for cookie in person.session.cookies if cookie.name == "twindow"]
    assert expires
    return round((row.expires_at - clock.time()) / DAY), round((expires - clock.time()) / DAY)


def test_session_lasts_a_day_until_a_message_is_accepted_and_then_a_year(
    alice: Person, portal: Portal, clock: AdjustableClock, upstream: Upstream
):
    save_preferences(alice)
    assert remaining_days(alice, portal, clock) == (1, 1)

    complete_first_turn(alice, upstream, "Hello", "Hi")
    assert remaining_days(alice, portal, clock) == (365, 365)
    assert 'data-theme="dark"' in alice.get("/").response.text


@pytest.mark.parametrize("prepare", [lambda _: None, save_preferences])
def test_planted_cookie_gives_no_access_to_the_conversation(
    alice: Person, bob: Person, upstream: Upstream, prepare: Any
):
    prepare(bob)
    form = bob.get("/twins/ada")
    plant_cookies(bob, alice)
    page = complete_first_turn(alice, upstream, "a secret", "Hi")
    # Both browsers have the same id, but Bob becomes a person other than Alice.
    bob.press(form, "Send", content="Hello")

    assert alice.get(page.path).status == 200
    assert bob.get(page.path).status == 404
    assert "a secret" not in bob.get("/conversations").text


@pytest.mark.both_databases
@pytest.mark.parametrize("prepare", [lambda _: None, save_preferences])
def test_two_simultaneous_first_messages_create_one_conversation_and_session(
    alice: Person, bob: Person, upstream: Upstream, portal: Portal, prepare: Any
):
    prepare(alice)
    before = {row.key for row in stored_rows(portal)}
    action, fields = alice.get("/twins/ada").button_action("Send")
    plant_cookies(alice, bob)  # the second request does not have the cookies of the first response
    with ThreadPoolExecutor(2) as pool:
        pages = [
            pool.submit(person.post, action, fields | {"content": "once"})
            for person in (alice, bob)
        ]
        first, second = (page.result(10) for page in pages)

    assert (first.status, second.status) == (200, 200)
    assert first.path == second.path
    assert upstream.next_call().body == {"content": "once"}
    assert [call.method for call in upstream.calls].count("POST") == 2
    assert len({row.key for row in stored_rows(portal)} - before) == 1
    assert alice.session.cookies["twindow"] == bob.session.cookies["twindow"]


def test_replaced_session_id_is_valid_for_a_minute(
    alice: Person, bob: Person, upstream: Upstream, clock: AdjustableClock
):
    save_preferences(alice)
    plant_cookies(alice, bob)
    complete_first_turn(alice, upstream, "Hello", "Hi")

    assert 'data-theme="dark"' in bob.get("/").response.text
    clock.advance(DAY)  # a request on the next day extends its session
    assert "data-theme" not in bob.get("/").response.text
    assert 'data-theme="dark"' in alice.get("/").response.text


@pytest.mark.both_databases
def test_slow_request_keeps_what_others_have_stored_meanwhile(alice: Person, app: Flask):
    save_preferences(alice)
    cookie = {"Cookie": f"twindow={alice.session.cookies['twindow']}"}

    with app.test_request_context("/", headers=cookie):
        session[EXTENDED_DAY_FIELD] = 1
        with app.test_request_context("/", headers=cookie):
            session["person"] = "alice"
            del session["preferences"]
            finish_request()
        finish_request()

    with app.test_request_context("/", headers=cookie):
        assert (session["person"], session[EXTENDED_DAY_FIELD]) == ("alice", 1)
        assert session.permanent
        assert "preferences" not in session


@pytest.mark.both_databases
def test_slow_request_does_not_restore_an_ended_session(alice: Person, app: Flask, portal: Portal):
    save_preferences(alice)
    cookie = {"Cookie": f"twindow={alice.session.cookies['twindow']}"}

    with app.test_request_context("/", headers=cookie):
        session[EXTENDED_DAY_FIELD] = 1
        with app.test_request_context("/", headers=cookie):
            session.clear()
            finish_request()
        response = finish_request()

    assert stored_rows(portal) == []
    cookies = response.headers.getlist("Set-Cookie")
    assert [cookie for cookie in cookies if cookie.startswith("twindow=")] == []


def finish_request() -> Any:
    """Save the session as at the end of a request, and return the response."""
    return current_app.process_response(current_app.make_response("ok"))


def test_no_cookie_value_is_stored(
    alice: Person, bob: Person, upstream: Upstream, portal: Portal, tmp_path: Path
):
    upstream.answers["/api/v1/auth/api-keys"] = 201, {"data": {"key": "tw_once"}}
    form = alice.get("/keys")
    values = set(alice.session.cookies.values()) | {form.hidden_fields("/keys")["idempotency_key"]}
    alice.press(form, "Create key", name="laptop", scope="read_only", jwt="a.b.c")
    save_preferences(bob)
    for person in (alice, bob):
        complete_first_turn(person, upstream, "Hello", "Hi")
        values |= set(person.session.cookies.values())

    assert len(values) == 5
    stored = [path.read_bytes() for path in tmp_path.rglob("*.db*")]
    stored.append(repr(stored_rows(portal)).encode())
    assert [value for value in values if any(str(value).encode() in file for file in stored)] == []


ROOT, SUB_PATH = "https://localhost", "https://localhost/chat"


def test_cookies_of_https_cannot_be_set_by_a_sibling_host(app: Flask):
    for base_url, name, path in (
        ("http://localhost", "twindow", ""),
        (ROOT, "__Host-twindow", ""),
        (SUB_PATH, "__Host-twindow", "%2Fchat"),
    ):
        client = app.test_client()
        answer = client.get("/preferences", base_url=base_url)
        cookies = answer.headers.getlist("Set-Cookie")
        saved = client.post("/preferences", base_url=base_url, data={"theme": "dark"})
        cookies += saved.headers.getlist("Set-Cookie")
        assert [cookie.partition("=")[0] for cookie in cookies] == [
            f"{name}-id{path}",
            f"{name}{path}",
        ]
        for cookie in cookies:
            assert ("Secure" in cookie) is ("https" in base_url)
            assert "HttpOnly" in cookie
            assert "SameSite=Lax" in cookie
            assert "Path=/;" in f"{cookie};"
        assert ("Strict-Transport-Security" in answer.headers) is ("https" in base_url)


def new_dark_session(app: Flask, base_url: str) -> Client:
    """Return a client that has saved the dark theme."""
    client = app.test_client()
    client.get("/preferences", base_url=base_url)
    origin = {"Origin": base_url.removesuffix("/chat")}
    client.post("/preferences", base_url=base_url, data={"theme": "dark"}, headers=origin)
    return client


def is_dark(client: Client, base_url: str) -> bool:
    return 'data-theme="dark"' in client.get("/", base_url=base_url).text


@pytest.mark.parametrize("base_url", ["http://localhost", ROOT, SUB_PATH])
def test_cookies_that_a_sibling_host_can_set_are_worthless_over_https(app: Flask, base_url: str):
    """The attacker has a session at `base_url`, and plants all cookies that a browser accepts."""
    attacker = new_dark_session(app, base_url)
    assert is_dark(attacker, base_url)
    cookies = {cookie.decoded_key: cookie.decoded_value for cookie in attacker._cookies.values()}
    for victim_url in (ROOT, SUB_PATH):
        for had_visited in (False, True):
            victim = app.test_client()
            if had_visited:
                victim.get("/keys", base_url=victim_url)
            for name, value in cookies.items():
                plain_name = name.removeprefix("__Host-").removeprefix("__Secure-")
                for planted in (plain_name, f"__Secure-{plain_name}"):
                    victim.set_cookie(planted, value, domain="localhost", path="/chat/")
                    victim.set_cookie(planted, value, domain="localhost", path="/")

            assert not is_dark(victim, victim_url)
