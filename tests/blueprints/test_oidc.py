"""Sign-in with OpenID Connect, with a scripted provider on a real socket."""

from __future__ import annotations

import base64
import time
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import jwt
import pytest
import requests
from flask import Flask

from tests.support.clock import AdjustableClock
from tests.support.oidc_provider import CLIENT_ID, OidcProvider
from tests.support.person import HTMX_HEADERS, Page, Person, complete_first_turn
from tests.support.portals import serve
from tests.support.processes import free_port
from tests.support.upstream import Upstream
from twindow.accounts import PersonNotFound
from twindow.core.settings import Settings
from twindow.web.container import Portal
from twindow.web.oidc.identity import SignInRefused, read_identity

NOT_COMPLETED = "The sign-in was not completed."
NOT_ALLOWED = "Your account may not use this portal."


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def provider(upstream: Upstream, port: int) -> OidcProvider:
    return OidcProvider(upstream, f"http://127.0.0.1:{port}")


@pytest.fixture
def settings(settings: dict[str, Any], provider: OidcProvider) -> dict[str, Any]:
    return provider.settings() | settings


@pytest.fixture
def url(app: Flask, settings: dict[str, Any]) -> Iterator[str]:
    with serve(app, settings["port"]) as url:
        yield url


def sign_in(person: Person, path: str = "/") -> Page:
    """Open a page and, on the sign-in page, follow the link to the provider."""
    page = person.get(path)
    assert page.path == "/session/new"
    link = page.html.select_one("main a.button")
    assert link.get_text(strip=True) == "Sign in with Example ID"
    return person.get(str(link["href"]))


def test_person_signs_in_at_the_provider_and_gets_the_page_that_was_asked_for(
    alice: Person, new_person: Callable[[], Person], upstream: Upstream, provider: OidcProvider
):
    page = sign_in(alice, "/conversations?q=tea")
    assert page.response.url.endswith("/conversations?q=tea")
    assert "Anna Smith" in page.text
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path

    other_browser = new_person()
    sign_in(other_browser)
    assert other_browser.get(path).status == 200
    provider.claims = {"sub": "ben-1", "name": "Anna Smith"}
    other_person = new_person()
    sign_in(other_person)
    assert other_person.get(path).status == 404


def test_secret_is_also_sent_as_a_password_where_the_provider_asks_for_it(
    alice: Person, provider: OidcProvider
):
    provider.configuration["token_endpoint_auth_methods_supported"] = ["client_secret_basic"]

    assert sign_in(alice).path == "/"


def test_signed_out_person_has_to_sign_in_again(alice: Person, provider: OidcProvider):
    page = alice.press(sign_in(alice), "Sign out")

    assert "You are signed out." in page.text
    assert alice.get("/").path == "/session/new"
    assert len(provider.authorize_calls) == 1


@pytest.mark.settings(sign_in="visitor,oidc")
def test_conversations_of_a_visitor_are_adopted(alice: Person, upstream: Upstream):
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path
    question = alice.get("/session/oidc/new")
    assert question.path == "/session/adoption"
    alice.press(question, "Move to my account")

    assert alice.get(path).status == 200


FALSE_CLAIMS: dict[str, dict[str, Any]] = {
    "another issuer": {"iss": "https://other.example"},
    "another audience": {"aud": "another-client"},
    "another client among several": {"aud": [CLIENT_ID, "other"], "azp": "other"},
    "another nonce": {"nonce": "another-nonce"},
    "no nonce": {"nonce": None},
    "no subject": {"sub": None},
    "a subject that is too long": {"sub": "x" * 256},
    "a subject that is a number": {"sub": 7},
    "a subject that no database can store": {"sub": "\ud800"},
    "a subject with a space at its end": {"sub": "anna-1 "},
    "expired": {"exp": 1},
    "no expiry": {"exp": None},
    "ten minutes ahead": {"iat": time.time() + 600},
}


@pytest.mark.fault("F92")
@pytest.mark.parametrize("name", FALSE_CLAIMS)
def test_false_id_token_signs_nobody_in(alice: Person, provider: OidcProvider, name: str):
    provider.token_changes = FALSE_CLAIMS[name]
    page = sign_in(alice)

    assert page.status == 403
    assert NOT_COMPLETED in page.text or NOT_ALLOWED in page.text
    assert alice.get("/").path == "/session/new"


def test_clock_of_the_provider_may_be_a_minute_ahead(alice: Person, provider: OidcProvider):
    provider.token_changes = {"iat": time.time() + 50, "exp": time.time() + 350}

    assert sign_in(alice).path == "/"


def test_new_signing_key_of_the_provider_is_fetched(alice: Person, provider: OidcProvider):
    provider.keys.add_key("key-2", "ES256")
    provider.signing_key = "key-2"

    assert sign_in(alice).path == "/"


def test_key_that_the_provider_does_not_publish_signs_nobody_in(
    alice: Person, provider: OidcProvider
):
    published = provider.keys.public_jwk("key-1")
    provider.keys.forced_answer = 200, {"keys": [published]}
    provider.keys.add_key("key-1")  # the provider now signs with another key of this name
    page = sign_in(alice)

    assert page.status == 403
    assert NOT_COMPLETED in page.text


def way_back(person: Person) -> str:
    """Begin to sign in, and return the path to which the provider sends the browser back."""
    url = f"{person.base_url}/session/oidc/new"
    page = person.session.get(url, allow_redirects=False).headers["Location"]
    back = person.session.get(page, allow_redirects=False).headers["Location"]
    return back.removeprefix(person.base_url)


@pytest.mark.fault("F92")
def test_way_back_works_once_and_only_in_the_browser_that_began(alice: Person, bob: Person):
    path = way_back(alice)
    bob.get("/session/new")
    assert NOT_COMPLETED in bob.get(path).text

    assert alice.get(path).path == "/"
    alice.press(alice.get("/"), "Sign out")
    assert NOT_COMPLETED in alice.get(path).text


@pytest.mark.fault("F92")
def test_answer_of_another_issuer_is_refused(alice: Person):
    path = way_back(alice).partition("&iss=")[0] + "&iss=https%3A%2F%2Fother.example"

    assert NOT_COMPLETED in alice.get(path).text


@pytest.mark.fault("F92")
def test_attempt_ends_after_ten_minutes(alice: Person, clock: AdjustableClock):
    path = way_back(alice)
    clock.advance(601)

    assert NOT_COMPLETED in alice.get(path).text


@pytest.mark.fault("F92")
def test_person_who_declines_at_the_provider_can_try_again(alice: Person, provider: OidcProvider):
    provider.error = "access_denied"
    page = sign_in(alice, "/conversations")
    assert NOT_COMPLETED in page.text
    provider.error = ""

    link = page.html.select_one("main a.button")
    assert alice.get(str(link["href"])).path == "/conversations"


@pytest.mark.fault("F91")
def test_provider_that_is_down_is_reported_and_does_not_prevent_the_start(
    alice: Person, upstream: Upstream, clock: AdjustableClock
):
    configured = upstream.answers.pop("/realm/.well-known/openid-configuration")
    upstream.answers["/realm/.well-known/openid-configuration"] = 503, {}
    page = sign_in(alice)
    assert page.status == 503
    assert "The sign-in service can't be reached." in page.text

    upstream.answers["/realm/.well-known/openid-configuration"] = configured
    count = len(upstream.calls)
    assert sign_in(alice).status == 503
    assert len(upstream.calls) == count, "nobody waits for a provider that was down just now"
    clock.advance(10)
    assert sign_in(alice).path == "/"


@pytest.mark.fault("F91")
def test_configuration_of_another_issuer_signs_nobody_in(alice: Person, provider: OidcProvider):
    provider.configuration["issuer"] = "https://other.example"

    assert sign_in(alice).status == 503


def test_claims_that_the_id_token_lacks_come_from_userinfo(alice: Person, provider: OidcProvider):
    provider.claims = {"sub": "anna-1"}
    provider.userinfo = {"name": "Anna Smith", "email": "anna@example.org"}
    assert "Anna Smith (anna@example.org)" in sign_in(alice).text

    provider.userinfo = {"sub": "ben-1", "name": "Ben"}
    alice.press(alice.get("/"), "Sign out")
    assert NOT_COMPLETED in sign_in(alice).text


@pytest.mark.settings(oidc_groups_claim="realm.groups", oidc_allowed_groups="staff, managers")
def test_only_people_in_the_allowed_groups_may_enter(
    alice: Person, provider: OidcProvider, portal: Portal
):
    provider.claims |= {"realm": {"groups": ["/staff", "a,b", "/sales"]}}
    assert sign_in(alice).path == "/"
    [person] = portal.accounts.people.list_all()
    assert person.groups == ("sales", "staff")

    alice.press(alice.get("/"), "Sign out")
    for groups in (["sales"], [], "Staff", {"staff": True}):
        provider.claims |= {"realm": {"groups": groups}}
        page = sign_in(alice)
        assert page.status == 403
        assert NOT_ALLOWED in page.text


@pytest.mark.fault("F93")
@pytest.mark.settings(oidc_groups_claim="groups", oidc_allowed_groups="staff")
def test_refused_person_is_signed_out_in_all_browsers(
    alice: Person,
    bob: Person,
    provider: OidcProvider,
    portal: Portal,
    caplog: pytest.LogCaptureFixture,
):
    provider.claims["groups"] = ["staff"]
    sign_in(alice)
    provider.claims["groups"] = []
    page = sign_in(bob)

    assert NOT_ALLOWED in page.text
    assert alice.get("/").path == "/session/new"
    assert portal.accounts.people.find("oidc:anna-1").groups == ()
    assert "oidc:anna-1: none of the groups" in caplog.text


@pytest.mark.settings(sign_in="password,oidc")
def test_refusal_by_the_provider_does_not_mark_the_password_as_wrong(
    alice: Person, provider: OidcProvider
):
    provider.error = "access_denied"

    page = alice.get("/session/oidc/new")
    assert NOT_COMPLETED in page.text
    assert page.html.select("[aria-invalid]") == []


@pytest.mark.settings(oidc_groups_claim="groups")
@pytest.mark.parametrize(
    "claims",
    [
        {"_claim_names": {"groups": "src1"}, "_claim_sources": {"src1": {"endpoint": "https://"}}},
        {"hasgroups": True},
        {"groups": [f"g{number}" for number in range(2_000)]},
    ],
    ids=["elsewhere", "left out", "very many"],
)
def test_groups_that_are_too_many_do_not_mean_none(
    alice: Person, provider: OidcProvider, claims: dict[str, Any]
):
    provider.claims |= claims
    page = sign_in(alice)

    assert page.status == 403
    assert "Your account is in too many groups." in page.text


@pytest.mark.settings(oidc_allowed_domains="example.org, Example.com")
def test_only_verified_addresses_of_the_allowed_domains_may_enter(
    alice: Person, provider: OidcProvider
):
    for email, verified in (
        ("anna@evil.example", True),
        ("anna@example.org.evil.example", True),
        ("anna@example.org", False),
        ("anna@example.org", "true"),
        ("anna@example.org", None),
        (None, True),
    ):
        provider.claims = {"sub": "anna-1", "email": email, "email_verified": verified}
        assert NOT_ALLOWED in sign_in(alice).text
    provider.claims |= {"email": "anna@EXAMPLE.com", "email_verified": True}

    assert sign_in(alice).path == "/"


@pytest.mark.settings(oidc_allowed_domains="example.org")
def test_address_counts_only_if_the_same_source_has_verified_it(
    alice: Person, provider: OidcProvider
):
    for claims, userinfo in (
        ({"email": "sue@example.org"}, {"email": "x@evil.example", "email_verified": True}),
        ({"email_verified": True}, {"email": "sue@example.org", "email_verified": False}),
    ):
        provider.claims = {"sub": "sue-1", **claims}
        provider.userinfo = userinfo
        assert NOT_ALLOWED in sign_in(alice).text


def test_google_account_with_an_address_of_the_domain_is_not_one_of_the_domain():
    settings = Settings(oidc_allowed_domains="example.org")
    claims = {"sub": "1", "email": "anna@example.org", "email_verified": True}
    google = claims | {"iss": "https://accounts.google.com"}

    with pytest.raises(SignInRefused):
        read_identity(google, settings)
    assert read_identity(google | {"hd": "example.org"}, settings).subject == "1"


def test_disabled_person_may_not_enter_and_is_signed_out(
    alice: Person, provider: OidcProvider, portal: Portal
):
    sign_in(alice)
    people = portal.accounts.people
    people.disable(people.find("oidc:anna-1"))

    assert alice.get("/").path == "/session/new"
    assert "Your account is disabled." in sign_in(alice).text


def test_same_name_at_another_issuer_is_another_person(
    alice: Person, upstream: Upstream, portal: Portal
):
    sign_in(alice)
    people = portal.accounts.people
    anna = people.find("oidc:anna-1")
    other = people.find_or_add("https://other.example", "anna-1", anna.name)

    assert other.id != anna.id
    assert people.find("oidc:anna-1") == anna  # of the provider in the settings
    with pytest.raises(PersonNotFound):
        people.find("oidc:anna-2")


def test_redirect_address_is_that_of_the_public_url_whatever_the_host_header_says(
    alice: Person, provider: OidcProvider, settings: dict[str, Any]
):
    alice.get("/session/oidc/new", Host="evil.example")

    assert provider.authorize_calls[-1]["redirect_uri"] == f"{settings['public_url']}/session/oidc"


@pytest.mark.limit("L67")
def test_attempts_of_one_address_are_limited(
    new_person: Callable[[], Person], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twindow.web.form_limits.MAX_PROVIDER_ATTEMPTS", 3)
    statuses = []
    for _ in range(30):
        person = new_person()
        url = f"{person.base_url}/session/oidc/new"
        statuses.append(person.session.get(url, allow_redirects=False).status_code)

    assert statuses == [303] * 3 + [429] * 27


@pytest.mark.settings(sign_in="password,oidc")
def test_password_and_provider_are_offered_together(alice: Person):
    page = alice.get("/session/new")

    assert page.html.select_one("main input[type=password]")
    assert page.html.select_one("main a.button")


def test_person_who_signs_out_can_sign_out_at_the_provider_too(
    alice: Person, upstream: Upstream, settings: dict[str, Any]
):
    page = alice.press(sign_in(alice), "Sign out")
    [link] = [link for link in page.html.select("main a") if "Example ID, too" in link.text]
    alice.get(str(link["href"]))

    query = parse_qs(urlsplit(upstream.calls[-1].path).query)
    assert query["post_logout_redirect_uri"] == [f"{settings['public_url']}/session/new"]
    assert jwt.decode(query["id_token_hint"][0], options={"verify_signature": False})["sub"]
    # The link works once; afterwards, the provider has to ask.
    alice.get(str(link["href"]))
    assert "id_token_hint" not in upstream.calls[-1].path


def log_out(person: Person, token: str) -> int:
    """Let the provider send a logout token, and return the status of the response."""
    url = f"{person.base_url}/session/oidc/logout"
    response = requests.post(url, data={"logout_token": token}, timeout=10)
    assert response.headers["Cache-Control"] == "no-store"
    return response.status_code


def test_provider_ends_all_sign_ins_of_a_person(alice: Person, bob: Person, provider: OidcProvider):
    sign_in(alice)
    provider.claims = {"sub": "ben-1", "name": "Ben"}
    sign_in(bob)

    assert log_out(alice, provider.logout_token(sub="anna-1")) == 200
    assert alice.get("/").path == "/session/new"
    assert bob.get("/").path == "/"


def test_provider_ends_one_sign_in_by_its_id(
    alice: Person, new_person: Callable[[], Person], provider: OidcProvider
):
    provider.claims["sid"] = "first"
    sign_in(alice)
    other = new_person()
    provider.claims["sid"] = "second"
    sign_in(other)

    assert log_out(alice, provider.logout_token(sub=None, sid="second")) == 200
    assert alice.get("/").path == "/"
    assert other.get("/").path == "/session/new"


def test_provider_that_names_the_sign_in_only_at_its_end_ends_it(
    alice: Person, bob: Person, provider: OidcProvider
):
    sign_in(alice)
    provider.claims = {"sub": "ben-1", "name": "Ben"}
    sign_in(bob)

    assert log_out(alice, provider.logout_token(sub="anna-1", sid="first")) == 200
    assert alice.get("/").path == "/session/new"
    assert bob.get("/").path == "/"


def test_logout_token_does_not_end_a_sign_in_that_began_after_it(
    alice: Person, provider: OidcProvider
):
    token = provider.logout_token(iat=time.time() - 120)
    sign_in(alice)

    assert log_out(alice, token) == 200
    assert alice.get("/").path == "/"


FALSE_LOGOUTS: dict[str, dict[str, Any]] = {
    "an ID token": {"events": None, "nonce": "n"},
    "with a nonce": {"nonce": "n"},
    "another event": {"events": {"http://schemas.openid.net/event/other": {}}},
    "another issuer": {"iss": "https://other.example"},
    "another audience": {"aud": "other"},
    "nobody": {"sub": None},
    "old": {"iat": 1, "exp": None},
    "expired": {"exp": 1},
}


@pytest.mark.parametrize("name", FALSE_LOGOUTS)
def test_false_logout_token_ends_nothing(alice: Person, provider: OidcProvider, name: str):
    sign_in(alice)

    assert log_out(alice, provider.logout_token(**FALSE_LOGOUTS[name])) == 400
    assert log_out(alice, "") == 400
    assert log_out(alice, provider.logout_token() + "x") == 400
    assert alice.get("/").path == "/"


def test_logout_by_the_provider_ends_a_stream_within_five_seconds(
    alice: Person, upstream: Upstream, provider: OidcProvider, clock: AdjustableClock
):
    sign_in(alice)
    page = alice.start_conversation("Hello")
    upstream.next_call().start_stream().delta("One")
    stream = alice.follow(str(page.turns[0]["data-turn"]))
    stream.read_until("One")
    log_out(alice, provider.logout_token())
    clock.advance(5)

    stream.remaining_events()
    assert alice.get(page.path).path == "/session/new"


def test_next_page_after_the_maximum_age_is_shown_when_the_provider_confirms_silently(
    alice: Person, upstream: Upstream, provider: OidcProvider, clock: AdjustableClock
):
    sign_in(alice)
    path = complete_first_turn(alice, upstream, "Hello", "Hi").path
    clock.advance(8 * 3600 + 1)
    page = alice.get(path)

    assert page.reply_states == ["complete"]
    assert [call.get("prompt") for call in provider.authorize_calls] == [None, "none"]
    alice.get(path)
    assert len(provider.authorize_calls) == 2


def test_provider_that_has_no_session_any_more_asks_the_person(
    alice: Person, provider: OidcProvider, clock: AdjustableClock
):
    sign_in(alice)
    provider.is_signed_in = False
    clock.advance(8 * 3600 + 1)
    page = alice.get("/conversations")

    assert page.path == "/conversations"
    assert [call.get("prompt") for call in provider.authorize_calls] == [None, "none", None]


@pytest.mark.fault("F94")
@pytest.mark.settings(oidc_groups_claim="groups", oidc_allowed_groups="staff")
def test_person_who_has_left_the_group_is_signed_out_at_the_maximum_age(
    alice: Person, provider: OidcProvider, clock: AdjustableClock
):
    provider.claims["groups"] = ["staff"]
    sign_in(alice)
    provider.claims["groups"] = []
    clock.advance(8 * 3600 + 1)

    assert NOT_ALLOWED in alice.get("/").text
    assert alice.get("/").path == "/session/new"


def test_form_after_the_maximum_age_is_accepted_and_its_page_asks_the_provider(
    alice: Person, upstream: Upstream, provider: OidcProvider, clock: AdjustableClock
):
    sign_in(alice)
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    clock.advance(8 * 3600 + 1)
    upstream.always_reply("Again")
    page = alice.press(page, "Send", content="Once more")

    assert "Once more" in page.text
    assert provider.authorize_calls[-1]["prompt"] == "none"


def test_other_forms_after_the_maximum_age_are_refused(
    alice: Person, upstream: Upstream, provider: OidcProvider, clock: AdjustableClock
):
    sign_in(alice)
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    clock.advance(8 * 3600 + 1)
    alice.press(page, "Pin")

    assert provider.authorize_calls[-1]["prompt"] == "none"
    assert "Unpin" not in alice.get(page.path).text


def test_fragment_after_the_maximum_age_sends_the_page_to_the_provider(
    alice: Person, upstream: Upstream, clock: AdjustableClock
):
    sign_in(alice)
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    clock.advance(8 * 3600 + 1)
    headers = HTMX_HEADERS | {"HX-Current-URL": alice.base_url + page.path}
    action, fields = page.button_action("Send")
    response = alice.post(action, fields | {"content": "Once more"}, **headers).response

    assert response.headers["HX-Redirect"].startswith("/session/oidc/new?next=/conversations/")
    assert upstream.sent_messages() == ["Hello"]


def test_pictures_on_other_sites_begin_no_attempt(alice: Person, provider: OidcProvider):
    response = alice.get("/session/oidc/new", **{"Sec-Fetch-Mode": "no-cors"})

    assert response.status == 403
    assert provider.authorize_calls == []


def test_logout_token_of_a_stranger_writes_one_short_line_to_the_log(
    alice: Person, caplog: pytest.LogCaptureFixture
):
    header = base64.urlsafe_b64encode(b'{"alg": "RS256", "kid": "x\\n[INFO] Anna has signed in"}')
    token = f"{header.decode().rstrip('=')}.e30.AAAA"

    assert log_out(alice, token) == log_out(alice, token + "A" * 20_000) == 400
    lines = [record.getMessage() for record in caplog.records if "A logout" in record.getMessage()]
    assert len(lines) == 2
    assert all(line.isprintable() and len(line) < 500 for line in lines)


UNREADABLE: dict[str, Any] = {
    "a token type that is a number": {"access_token": "a", "token_type": 5, "id_token": "x"},
    "an expiry that is a list": {"access_token": "a", "token_type": "Bearer", "expires_in": []},
    "very deep JSON": b"[" * 100_000,
    "no JSON": b"<html>",
    "nothing": b"",
}


@pytest.mark.fault("F92")
@pytest.mark.parametrize("name", UNREADABLE)
def test_response_of_the_provider_that_cannot_be_read_signs_nobody_in(
    alice: Person, upstream: Upstream, provider: OidcProvider, name: str
):
    upstream.answers["/realm/token"] = 200, UNREADABLE[name]
    page = sign_in(alice)

    assert page.status == 403
    assert NOT_COMPLETED in page.text


def test_userinfo_must_not_be_read_without_https(alice: Person, provider: OidcProvider):
    provider.configuration["userinfo_endpoint"] = "http://id.example/userinfo"

    assert sign_in(alice).status == 503


def test_message_long_after_the_maximum_age_is_refused(
    alice: Person, upstream: Upstream, clock: AdjustableClock
):
    sign_in(alice)
    page = complete_first_turn(alice, upstream, "Hello", "Hi")
    clock.advance(8 * 3600 + 601)
    alice.press(page, "Send", content="Once more")

    assert upstream.sent_messages() == ["Hello"]


@pytest.mark.settings(oidc_groups_claim="groups", twin_groups="ada=staff")
def test_twin_and_its_conversations_are_hidden_from_a_person_whose_group_changes_at_the_provider(
    alice: Person, upstream: Upstream, provider: OidcProvider, clock: AdjustableClock
):
    provider.claims["groups"] = ["staff"]
    sign_in(alice)
    conversation = complete_first_turn(alice, upstream, "Hello", "Hi").path
    provider.claims["groups"] = ["sales"]
    clock.advance(8 * 3600 + 1)

    assert "Ada" not in alice.get("/").text
    assert "Hello" not in alice.get("/conversations").text
    assert [alice.get(path).status for path in ("/twins/ada", conversation)] == [404, 404]
