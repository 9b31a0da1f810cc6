"""People who sign in with their own API key of the service."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from flask import Flask

from tests.support.clock import AdjustableClock
from tests.support.person import Page, Person, complete_first_turn, wait_for_reply
from tests.support.upstream import Call, Upstream
from web.container import Portal

ANNAS_KEY = "key-of-anna-0001"
BENS_KEY = "key-of-ben-000002"
TWINS = {
    ANNAS_KEY: [{"id": "ada", "name": "Ada"}, {"id": "annas", "name": "Twin of Anna"}],
    BENS_KEY: [{"id": "ada", "name": "Ada"}],
}


@pytest.fixture
def settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Let people sign in with keys; the portal itself has none."""
    return settings | {"sign_in": "key", "api_key": None}


@pytest.fixture(autouse=True)
def keys(upstream: Upstream) -> dict[str, list[dict[str, str]]]:
    """Make the service accept the keys, each with its own twins."""
    twins_by_key = {key: list(twins) for key, twins in TWINS.items()}

    def answer(call: Call) -> None:
        twins = twins_by_key.get(used_key(call))
        if twins is None:
            call.respond(401, {"error": "unknown key"})
        else:
            call.respond(200, {"data": twins, "pagination": {"page": 1, "pages": 1}})

    upstream.answers["/api/v1/twins"] = answer
    return twins_by_key


def used_key(call: Call) -> str:
    """Return the key that a request was sent with."""
    return str(call.headers["Authorization"]).removeprefix("Bearer ")


def sign_in(person: Person, key: str) -> Page:
    """Sign in with a key."""
    return person.press(person.get("/session/new"), "Sign in", api_key=key)


@pytest.fixture
def anna(alice: Person) -> Person:
    """Return a person who is signed in with Anna's key."""
    sign_in(alice, ANNAS_KEY)
    return alice


def test_portal_requires_a_key(alice: Person):
    page = alice.get("/conversations")

    assert page.path == "/session/new"
    assert page.html.select("input[name=api_key]")
    assert not page.html.select("input[name=password]")


def test_all_requests_of_a_person_use_their_key(anna: Person, bob: Person, upstream: Upstream):
    complete_first_turn(anna, upstream, "Hello", "Hi")
    calls_of_anna = list(upstream.calls)
    sign_in(bob, BENS_KEY)
    complete_first_turn(bob, upstream, "Hello", "Hi")

    assert {used_key(call) for call in calls_of_anna} == {ANNAS_KEY}
    assert {used_key(call) for call in upstream.calls[len(calls_of_anna) :]} == {BENS_KEY}


def test_each_person_sees_the_twins_of_their_key(anna: Person, bob: Person):
    sign_in(bob, BENS_KEY)

    assert "Twin of Anna" in anna.get("/").text
    assert "Twin of Anna" not in bob.get("/").text
    assert anna.get("/twins/annas").status == 200
    assert bob.get("/twins/annas").status == 404


def test_person_is_the_same_in_every_browser_with_the_same_key(
    anna: Person, bob: Person, new_person: Callable[[], Person], upstream: Upstream
):
    path = complete_first_turn(anna, upstream, "Hello", "Hi").path
    sign_in(bob, BENS_KEY)
    other_browser = new_person()
    sign_in(other_browser, ANNAS_KEY)

    assert other_browser.get(path).status == 200
    assert bob.get(path).status == 404


def test_key_is_stored_only_encrypted_and_cannot_be_used_after_signing_out(
    anna: Person, portal: Portal, settings: dict[str, Any]
):
    def stored() -> bytes:
        return b"".join(path.read_bytes() for path in settings["data_dir"].glob("*.db*"))

    anna.get("/")
    assert ANNAS_KEY.encode() not in stored()
    cookies = anna.session.cookies.copy()
    anna.press(anna.get("/session"), "Sign out")
    anna.session.cookies.update(cookies)

    assert anna.get("/").path == "/session/new"
    assert portal.accounts.people.list_all()[0].identity.startswith("key:")


@pytest.mark.parametrize(
    ("key", "status"), [("key-of-nobody-1", 403), ("tiny", 422), ("two words 123", 422)]
)
def test_unusable_key_is_refused(alice: Person, portal: Portal, key: str, status: int):
    page = sign_in(alice, key)

    assert (page.status, "didn't accept this API key" in page.text) == (status, True)
    assert key not in page.response.text
    assert portal.accounts.people.list_all() == []


def test_service_failure_is_not_treated_as_a_refused_key(alice: Person, upstream: Upstream):
    upstream.answers["/api/v1/twins"] = 503, {}

    statuses = {sign_in(alice, ANNAS_KEY).status for _ in range(20)}
    assert statuses == {502}


@pytest.mark.limit("L60")
def test_attempts_with_wrong_keys_are_limited(alice: Person, upstream: Upstream, portal: Portal):
    portal.accounts.address_limit = 10
    statuses = [sign_in(alice, f"key-of-nobody-{number}").status for number in range(100)]

    assert statuses == [403] * 10 + [429] * 90
    assert len(upstream.calls) == 10


def test_revoked_key_is_explained(
    anna: Person, upstream: Upstream, keys: dict[str, list[dict[str, str]]], clock: AdjustableClock
):
    anna.get("/")
    del keys[ANNAS_KEY]
    clock.advance(61)

    assert "no longer accepts your key" in anna.get("/").text
    page = anna.press(anna.get("/twins/ada"), "Send", content="Hello")
    upstream.next_call().respond(401, {})
    assert "no longer accepts your key" in wait_for_end(anna, page).text


def wait_for_end(person: Person, page: Page) -> Page:
    """Follow the reply to its end, and reload the page."""
    with person.follow(str(page.turns[0]["data-turn"])) as stream:
        stream.remaining_events()
    return person.get(page.path)


def test_check_command_accepts_a_portal_without_an_api_key(app: Flask):
    result = app.test_cli_runner().invoke(args=["twindow", "check"])

    assert "People bring their own keys" in result.output
    assert result.exit_code == 0


class TestLimits:
    @pytest.fixture
    def settings(self, settings: dict[str, Any]) -> dict[str, Any]:
        return settings | {"limits": "person=1/hour"}

    def test_only_the_limit_of_a_persons_own_key_applies(
        self, anna: Person, bob: Person, upstream: Upstream
    ):
        sign_in(bob, BENS_KEY)
        page = complete_first_turn(anna, upstream, "Hello", "Hi")
        begun = anna.press(page, "Send", content="Again")
        call = upstream.next_call().start_stream(x_ratelimit_limit="500", x_ratelimit_remaining="0")
        call.complete("Hi again")
        page = wait_for_reply(anna, begun)

        refused = anna.press(page, "Send", content="And again")

        assert refused.status == 429
        assert "Your key has reached its limit." in refused.text
        assert complete_first_turn(bob, upstream, "Hello", "Hi").reply_states == ["complete"]
