"""Isolation: what belongs to somebody else looks exactly like what does not exist.

Every route with an id in its path is requested with every method, by people of every kind. Pages
and forms are also requested as fragments, and one person also requests malformed ids. A route with
a new parameter fails a test until `IDS` contains the parameter.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from flask import Flask
from msgspec import structs
from werkzeug.test import TestResponse

from tests.support.clock import AdjustableClock
from tests.support.oidc_provider import OidcProvider
from tests.support.passwords import FAST_HASHER, PASSWORD
from tests.support.person import HTMX_HEADERS, Person, complete_first_turn
from tests.support.portals import get_portal, serve
from tests.support.processes import free_port
from tests.support.sign_in_steps import client_of
from tests.support.upstream import Upstream
from twindow.accounts import Accounts
from twindow.web.container import EXTENSION_KEY, Portal
from twindow.web.oidc.provider import Provider

# PUT stands for the methods that no route has.
REQUESTS: tuple[tuple[str, dict[str, str]], ...] = (
    *((method, {}) for method in ("GET", "HEAD", "POST", "OPTIONS", "PUT")),
    *((method, HTMX_HEADERS) for method in ("GET", "POST")),
)
RANDOM_ID = "Zm9yZWlnbi1yYW5kb20taWQ"
MALFORMED_IDS = ("0", "x" * 300, "%00", "..%2F..", "%ff")
# The resource of Anna that each parameter of a route identifies. Parameters with None are not
# tested here.
IDS: dict[str, str | None] = {
    "conversation_id": "conversation",
    "turn_id": "turn",
    "sign_in_id": "sign-in",
    # Keys belong to the service, see test_own_keys.py.
    "key_id": None,
    # Anyone who has the token of a one-time link may use the link.
    "token": None,
    "twin_id": "twin",
    # Files are for everyone; avatars of hidden twins are in test_twin_groups.py.
    "name": None,
}
# Further URLs with ids: parameters of a query, and the page that follows a reply.
FURTHER_URLS = {
    "/?twin={}": "twin",
    "/?turn={}": "turn",
    "/conversations?twin={}": "twin",
    "/conversations?done=renamed&conversation={}": "conversation",
    "/conversations/recent?opened={}": "conversation",
    "/conversations/{}?follow=1": "conversation",
    "/conversations/{}/export?format=md": "conversation",
}
# Forms with ids in the field "conversation".
FORMS = {
    f"/conversations/selected/{action}": "conversation"
    for action in ("archive", "deletion", "restoration")
}
# Pages that list what somebody has.
LISTS = ("/", "/conversations", "/conversations/recent", "/conversations?q=Secret", "/session")
# What they would show of Anna: her twin and her conversation.
ANNAS = re.compile(r"\bAda\b|of Anna|Secret reply")
# The stream of a reply says that it is missing, because browsers repeat failed requests.
STREAM = "/turns/{}/events"
# Headers that differ between any two responses.
VOLATILE_HEADERS = {"Date", "X-Request-Id", "Content-Length", "Set-Cookie"}


# Run a portal without visitors, with a twin that only Anna may use.
pytestmark = pytest.mark.settings(
    sign_in="password,oidc",
    sign_in_idle_timeout=3_600,
    oidc_groups_claim="groups",
    twin_groups="ada=annas",
)
OPEN_TWIN = "a%2Fb%20c%3F%23%C3%BC"
CLAIMS = {"sub": "anna-1", "name": "Anna", "email": "anna@example.org", "email_verified": True}


@pytest.fixture
def provider(upstream: Upstream) -> OidcProvider:
    """Run the provider at which Anna signs in."""
    return OidcProvider(upstream, f"http://127.0.0.1:{free_port()}")


@pytest.fixture
def settings(settings: dict[str, Any], provider: OidcProvider) -> dict[str, Any]:
    return provider.settings() | settings


@pytest.fixture
def url(app: Flask, settings: dict[str, Any]) -> Iterator[str]:
    with serve(app, settings["port"]) as url:
        yield url


@pytest.fixture
def accounts(portal: Portal) -> Accounts:
    """Return the accounts of the portal."""
    portal.accounts.passwords.hasher = FAST_HASHER
    return portal.accounts


@pytest.fixture
def sign_in(accounts: Accounts, new_person: Callable[[], Person]) -> Callable[[str], Person]:
    """Return a function that adds a person and signs them in."""

    def sign_in(name: str) -> Person:
        accounts.use_link(accounts.create_link(accounts.people.add(name)), PASSWORD, "")
        person = new_person()
        person.press(person.get("/session/new"), "Sign in", name=name, password=PASSWORD)
        return person

    return sign_in


def sign_in_at_provider(person: Person, provider: OidcProvider, claims: dict[str, Any]) -> Person:
    """Sign a person in at a provider, which says this about them."""
    provider.claims = claims
    assert person.get("/session/oidc/new").path == "/"
    return person


@pytest.fixture
def annas_ids(
    new_person: Callable[[], Person],
    provider: OidcProvider,
    accounts: Accounts,
    upstream: Upstream,
) -> dict[str, str]:
    """Return the ids of what belongs to Anna."""
    anna = sign_in_at_provider(new_person(), provider, CLAIMS | {"groups": ["annas"]})
    person = accounts.people.find("oidc:anna-1")
    # Everybody may use this twin, so that only its owner makes a difference.
    page = complete_first_turn(anna, upstream, "Secret of Anna", "Secret reply", twin=OPEN_TWIN)
    return {
        "conversation": page.path.rpartition("/")[2],
        "turn": str(page.turns[0]["data-turn"]),
        "sign-in": accounts.sign_ins.list_for_person(person.id)[0].id,
        "twin": "ada",
    }


def change_issuer(app: Flask, provider: OidcProvider, clock: AdjustableClock) -> None:
    """Let people sign in at another provider from now on."""
    portal = get_portal(app)
    settings = structs.replace(portal.settings, oidc_issuer=provider.issuer)
    changed = replace(portal, settings=settings, provider=Provider(settings, clock))
    app.extensions[EXTENSION_KEY] = changed


@pytest.fixture
def others(
    app: Flask,
    annas_ids: dict[str, str],
    sign_in: Callable[[str], Person],
    provider: OidcProvider,
    accounts: Accounts,
    upstream: Upstream,
    new_person: Callable[[], Person],
    clock: AdjustableClock,
) -> dict[str, Person]:
    """Return a person of each kind.

    The clock moves after the first sign-in, so that only the first sign-in has expired.
    """
    people = {"expired": sign_in("expired")}
    clock.advance(3_601)
    people["disabled"] = sign_in("disabled")
    accounts.people.disable(accounts.people.find("disabled"))
    people["signed out"] = new_person()
    people["signed in"] = sign_in("Ben")
    people["other group"] = sign_in("lost group")
    accounts.people.set_groups(accounts.people.find("lost group"), ["bens"])
    claims = {"sub": "ben-1", "name": "Ben", "groups": ["bens"]}
    other = sign_in_at_provider(new_person(), provider, claims)
    people["other group at the provider"] = other
    other_provider = OidcProvider(upstream, provider.portal_url, "other-realm")
    change_issuer(app, other_provider, clock)
    namesake = sign_in_at_provider(new_person(), other_provider, CLAIMS)
    people["same e-mail at another issuer"] = namesake
    return people


def templates_with_ids(app: Flask) -> dict[str, str]:
    """Return the path template of each tested route, and the kind of resource that its id names."""
    return {
        re.sub(r"<[^>]*>", "name", re.sub(rf"<[^>]*\b{parameter}>", "{}", rule.rule)): owner
        for rule in app.url_map.iter_rules()
        for parameter in rule.arguments
        if (owner := IDS[parameter])
    }


def requests_with_ids(app: Flask) -> Iterator[tuple[tuple[str, str], tuple[str, dict[str, str]]]]:
    """Yield the path template and the kind of resource, and the method and the headers."""
    yield from product(templates_with_ids(app).items(), REQUESTS)
    yield from product(FURTHER_URLS.items(), (("GET", {}), ("GET", HTMX_HEADERS)))


def fingerprint(response: TestResponse, id_: re.Pattern[str]) -> tuple[object, ...]:
    """Return a response without the requested ids and the parts that differ every time."""
    headers = {
        name: id_.sub("ID", value)
        for name, value in response.headers.items()
        if name not in VOLATILE_HEADERS
    }
    body = id_.sub("ID", response.text)
    # Remove CSRF tokens and idempotency keys.
    return response.status_code, headers, re.sub(r'value="[^"]{20,}"', "", body)


def test_isolation_tests_cover_every_route_parameter(app: Flask):
    parameters = {name for rule in app.url_map.iter_rules() for name in rule.arguments}

    assert parameters == set(IDS)


def test_ids_of_other_people_give_the_same_response_as_missing_ids(
    app: Flask,
    annas_ids: dict[str, str],
    others: dict[str, Person],
):
    cells, wrong = 0, []
    for kind, person in others.items():
        client = client_of(app, person)
        is_signed_in = kind not in ("expired", "disabled", "signed out")
        page = person.get("/session" if is_signed_in else "/session/new")
        _, fields = page.button_action("Sign out" if is_signed_in else "Sign in")
        malformed_ids = MALFORMED_IDS if kind == "signed in" else ()
        for (template, owner), (method, headers) in requests_with_ids(app):
            ids = annas_ids[owner], RANDOM_ID, *malformed_ids
            responses = [
                client.open(
                    template.format(tested_id),
                    method=method,
                    data=fields,
                    headers=headers,
                    buffered=True,
                )
                for tested_id in ids
            ]
            cells += len(ids)
            # Both, because "ada" also occurs in random ids of a page.
            either_id = re.compile("|".join(ids[:2]))
            foreign, missing = (fingerprint(response, either_id) for response in responses[:2])
            is_leak = any(r.status_code >= 500 or "Secret" in r.text for r in responses)
            is_url_of_resource = method in ("GET", "POST") and "?" not in template
            is_found = is_signed_in and is_url_of_resource and template != STREAM
            if foreign != missing or is_leak or (is_found and responses[0].status_code < 404):
                wrong.append((kind, method, template))
        for (path, owner), headers in product(FORMS.items(), ({}, HTMX_HEADERS)):
            ids = annas_ids[owner], RANDOM_ID
            either_id = re.compile("|".join(ids))
            data = [fields | {"conversation": tested_id} for tested_id in ids]
            responses = [client.post(path, data=each, headers=headers) for each in data]
            cells += len(ids)
            foreign, missing = (fingerprint(response, either_id) for response in responses)
            if foreign != missing:
                wrong.append((kind, "POST", path))

    assert wrong == []
    assert cells > 1_000, cells


def test_lists_show_nothing_of_other_people(others: dict[str, Person]):
    shown = [
        (kind, path)
        for kind, person in others.items()
        for path in LISTS
        if ANNAS.search(person.get(path).text)
    ]

    assert shown == []
