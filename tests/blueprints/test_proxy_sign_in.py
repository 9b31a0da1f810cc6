"""People whom a proxy in front of the portal signs in."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.person import Person, complete_first_turn
from tests.support.upstream import Upstream
from twindow.accounts import Accounts
from twindow.web.container import Portal

HEADER = "X-Remote-User"


# Let a proxy on this machine sign people in.
pytestmark = pytest.mark.settings(
    sign_in="proxy", proxy_user_header=HEADER, proxy_networks="127.0.0.1"
)


@pytest.fixture
def accounts(portal: Portal) -> Accounts:
    """Return the accounts of the portal."""
    return portal.accounts


def report(person: Person, name: str | None) -> Person:
    """Let the proxy report a name, or nobody, from now on."""
    person.session.headers.update({HEADER: name or ""})
    return person


def test_person_named_by_the_proxy_has_their_conversations_in_every_browser(
    alice: Person, bob: Person, new_person: Callable[[], Person], upstream: Upstream
):
    path = complete_first_turn(report(alice, "anna"), upstream, "Hello", "Hi").path

    assert alice.get(path).status == 200
    assert report(new_person(), "anna").get(path).status == 200
    assert report(bob, "ben").get(path).status == 404
    assert report(bob, "Anna").get(path).status == 404
    assert not alice.get("/").html.select("form[action='/session/deletion']")


def test_request_without_a_name_is_signed_out(alice: Person, upstream: Upstream):
    path = complete_first_turn(report(alice, "anna"), upstream, "Hello", "Hi").path
    page = report(alice, None).get(path)

    assert page.path == "/session/new"
    assert "Open this portal at the address" in page.text
    assert report(alice, "anna").get(path).status == 200


def test_fifty_parallel_first_requests_add_one_person(
    url: str, accounts: Accounts, new_person: Callable[[], Person]
):
    browsers = [report(new_person(), "anna") for _ in range(50)]
    with ThreadPoolExecutor(50) as pool:
        statuses = list(pool.map(lambda browser: browser.get("/conversations").status, browsers))

    assert statuses == [200] * 50
    assert [person.name for person in accounts.people.list_all()] == ["anna"]


def test_disabled_person_is_locked_out(alice: Person, accounts: Accounts):
    report(alice, "anna").get("/")
    accounts.people.disable(accounts.people.find("proxy:anna"))
    page = alice.get("/conversations")

    assert page.path == "/session/new"
    assert "Your account is disabled" in page.text


def test_preferences_are_kept_for_the_next_request(alice: Person):
    report(alice, "anna")
    alice.press(alice.get("/preferences"), "Save", theme="dark")

    assert alice.get("/").html.html["data-theme"] == "dark"


@pytest.mark.settings(sign_in="visitor,proxy")
class TestVisitorsAllowed:
    """A portal that visitors may use, too."""

    def test_visitor_and_person_of_one_browser_are_kept_apart_until_the_person_adopts(
        self, alice: Person, upstream: Upstream
    ):
        path_of_visitor = complete_first_turn(alice, upstream, "Hello", "Hi").path
        question = report(alice, "anna").get("/conversations?q=Hello")
        assert question.path == "/session/adoption"
        path = complete_first_turn(alice, upstream, "Hello", "Hi").path

        assert alice.get(path_of_visitor).status == 404
        report(alice, None)
        assert alice.get(path_of_visitor).status == 200
        assert alice.get(path).status == 404

        report(alice, "anna")
        page = alice.press(question, "Move to my account")
        assert page.response.url.endswith("/conversations?q=Hello")
        assert alice.get(path_of_visitor).status == 200

    def test_disabled_person_does_not_become_a_visitor(self, alice: Person, accounts: Accounts):
        report(alice, "anna").get("/")
        accounts.people.disable(accounts.people.find("proxy:anna"))

        assert "Your account is disabled" in alice.get("/twins/ada").text
