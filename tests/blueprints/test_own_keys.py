"""API keys of signed-in people, who create, list and revoke their keys without a JWT."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
import requests
from flask import Flask
from sqlalchemy import select

from tests.support.person import Page, Person
from tests.support.portals import close_portal, get_portal, serve
from tests.support.processes import free_port
from tests.support.sign_in_steps import add_people, sign_in
from twindow import application
from twindow.accounts import Accounts
from twindow.core.db.database import Database
from twindow.core.db.errors import DatabaseUnavailable
from twindow.service.key_issuer import KeyIssuer
from twindow.service.schema import conversations as service_conversations
from twindow.twinapi import ApiKey, Client
from twindow.web.commands.merge import merge_people

# The names of twins, and the lines of their files about access.
TWINS = {"lobby": ("Lobby", ""), "legal": ("Legal", "access: ['group:lawyers']\n")}


@pytest.fixture
def app(tmp_path: Path) -> Iterator[Flask]:
    """Return a portal with the embedded service, and a twin that only one group may use."""
    folder = tmp_path / "twins"
    folder.mkdir()
    for twin_id, (name, access) in TWINS.items():
        (folder / f"{twin_id}.md").write_text(f"---\nname: {name}\n{access}---\nHelp.\n")
    settings = {"data_dir": tmp_path / "data", "twins_dir": folder, "port": free_port()}
    app = application.create_app(settings | {"sign_in": "visitor,password"})
    yield app
    close_portal(app)


@pytest.fixture
def url(app: Flask) -> Iterator[str]:
    """Run the portal and return its URL."""
    with serve(app, get_portal(app).settings.port) as url:
        yield url


@pytest.fixture
def accounts(app: Flask) -> Accounts:
    """Add Ben, and Anna with the group `lawyers`."""
    accounts = add_people(get_portal(app))
    accounts.people.set_groups(accounts.people.find("Anna"), ["lawyers"])
    return accounts


@pytest.fixture
def anna(url: str, accounts: Accounts) -> Person:
    """Return a person who is signed in as Anna."""
    anna = Person(url)
    sign_in(anna)
    return anna


def create_key(person: Person, name: str = "laptop") -> str:
    page = person.press(person.get("/keys"), "Create key", name=name, scope="read_only")
    return page.html.select_one("#key").get_text()


def get_twins(url: str, key: str) -> tuple[int, list[str]]:
    """Return the status, and the names of the twins that a key gives access to."""
    response = requests.get(
        f"{url}/api/v1/twins", headers={"Authorization": f"Bearer {key}"}, timeout=10
    )
    return response.status_code, [twin["name"] for twin in response.json().get("data", [])]


def listed_names(page: Page) -> list[str]:
    return [name.get_text() for name in page.html.select(".access-list bdi")]


def test_signed_in_person_creates_a_key_without_a_jwt(anna: Person, url: str):
    form = anna.get("/keys")
    page = anna.press(form, "Create key", name="laptop", scope="read_only")
    key = page.html.select_one("#key").get_text()

    assert not form.html.select("[name=jwt]")
    assert Person(url).get("/keys").html.select("[name=jwt]"), "visitors need a JWT"
    assert get_twins(url, key) == (200, ["Legal", "Lobby"])
    assert page.html.select_one("#curl").get_text() == (
        f"curl -H 'Authorization: Bearer {key}' {url}/api/v1/twins"
    )
    assert listed_names(anna.get("/keys")) == ["laptop"]
    assert key not in anna.get("/keys").response.text


def test_revoked_key_is_refused_and_the_log_names_no_secret(
    anna: Person, url: str, caplog: pytest.LogCaptureFixture
):
    caplog.set_level("INFO", "twindow.audit")
    key = create_key(anna)
    page = anna.press(anna.get("/keys"), "Revoke")

    assert (page.path, listed_names(page)) == ("/keys", [])
    assert get_twins(url, key)[0] == 401
    created, revoked = caplog.messages
    assert created.startswith("“Anna” has created the API key '")
    assert created.endswith("' (read_only), from 127.0.0.1.")
    assert revoked == created.replace("created", "revoked").replace(" (read_only)", "")
    assert key not in caplog.text


def test_keys_of_others_look_like_missing_ones(anna: Person, url: str):
    key = create_key(anna)
    action, _ = anna.get("/keys").button_action("Revoke")
    ben = Person(url)
    ben.get("/keys")
    as_visitor = ben.post(action, {})
    sign_in(ben, "Ben")
    foreign = ben.post(action, {})
    missing = ben.post("/keys/0/revocation", {})

    assert listed_names(ben.get("/keys")) == []
    assert [as_visitor.status, foreign.status, missing.status] == [404, 404, 404]
    assert foreign.text == missing.text
    assert get_twins(url, key)[0] == 200


def test_twin_is_shown_to_the_groups_in_its_file_and_to_nobody_else(anna: Person, url: str):
    ben = Person(url)
    sign_in(ben, "Ben")

    assert "Legal" in anna.get("/").text
    assert anna.get("/twins/legal").status == 200
    for other in (ben, Person(url)):
        assert "Lobby" in other.get("/").text
        assert "Legal" not in other.get("/").text
        assert other.get("/twins/legal").status == 404


def run(app: Flask, *arguments: str) -> None:
    """Run a command about people."""
    app.test_cli_runner().invoke(args=["twindow", "person", *arguments])


def test_removing_a_group_from_a_person_removes_it_from_their_keys(
    app: Flask, anna: Person, url: str
):
    key = create_key(anna)
    run(app, "groups", "Anna", "--remove", "lawyers")

    assert get_twins(url, key) == (200, ["Lobby"])


def test_keys_of_a_disabled_person_are_refused(app: Flask, anna: Person, url: str):
    key = create_key(anna)
    run(app, "disable", "Anna")
    run(app, "enable", "Anna")

    assert get_twins(url, key)[0] == 401


def test_merge_deletes_the_keys_of_the_person_who_is_deleted_with_their_conversations(
    app: Flask, accounts: Accounts, url: str
):
    portal = get_portal(app)
    pair = accounts.people.find_or_add("proxy", "a.meier", "a.meier"), accounts.people.find("Anna")
    assert portal.key_issuer
    tokens = [portal.key_issuer.sign(person.id, ()) for person in pair]
    keys = [portal.client.create_api_key(token, "laptop", "full_access").key for token in tokens]
    for key in keys:
        Client(url, key).create_conversation("lobby")

    merge_people(portal, [pair])

    assert [get_twins(url, key)[0] for key in keys] == [401, 200]
    service_url = portal.settings.database_url_for("service")
    with closing(Database(service_url)) as database, database.read() as connection:
        assert list(connection.scalars(select(service_conversations.c.sub))) == [pair[1].id]


def test_nobody_is_merged_while_keys_cannot_be_revoked(app: Flask, accounts: Accounts):
    portal = get_portal(app)
    pair = accounts.people.find_or_add("proxy", "a.meier", "a.meier"), accounts.people.find("Anna")
    service_url = portal.settings.database_url_for("service")
    with (
        closing(Database(service_url)) as database,
        database.write(),
        pytest.raises(DatabaseUnavailable),
    ):
        merge_people(portal, [pair])

    assert accounts.people.find("proxy:a.meier") == pair[0]


def test_person_with_the_maximum_of_keys_gets_a_message(
    anna: Person, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("twindow.service.credentials.api_keys.MAX_KEYS", 1)
    create_key(anna)
    page = anna.press(anna.get("/keys"), "Create key", name="one more", scope="read_only")

    assert page.status == 409
    assert "maximum number of keys" in page.text
    assert listed_names(page) == ["laptop"]


@pytest.mark.parametrize("change", ["disable", "groups"])
def test_key_is_revoked_if_access_of_its_person_changes_during_its_creation(
    anna: Person, app: Flask, url: str, monkeypatch: pytest.MonkeyPatch, change: str
):
    portal, created = get_portal(app), []
    person, create_api_key = (
        portal.accounts.people.find("Anna"),
        portal.client.create_api_key,
    )

    def create_and_change(*arguments: str) -> ApiKey:
        created.append(create_api_key(*arguments))
        if change == "disable":
            portal.accounts.people.disable(person)
        else:
            portal.accounts.people.set_groups(person, [])
        return created[-1]

    monkeypatch.setattr(portal.client, "create_api_key", create_and_change)
    page = anna.press(anna.get("/keys"), "Create key", name="laptop", scope="read_only")

    assert page.status == 403
    assert get_twins(url, created[0].key)[0] == 401


def test_repeating_a_failed_removal_of_groups_removes_them_from_keys(
    anna: Person, app: Flask, url: str, monkeypatch: pytest.MonkeyPatch
):
    key, portal = create_key(anna), get_portal(app)
    person = portal.accounts.people.find("Anna")
    with monkeypatch.context() as patch:
        patch.setattr(KeyIssuer, "set_groups", Mock(side_effect=DatabaseUnavailable))
        with pytest.raises(DatabaseUnavailable):
            portal.accounts.people.set_groups(person, [])

    portal.accounts.people.set_groups(portal.accounts.people.find("Anna"), [])

    assert "Legal" not in str(get_twins(url, key)[1])


def test_key_created_while_groups_change_has_the_new_groups(
    anna: Person, app: Flask, url: str, monkeypatch: pytest.MonkeyPatch
):
    portal, keys = get_portal(app), []
    people = portal.accounts.people
    change = people.set_groups

    def create_and_change(*arguments: Any) -> Any:
        keys.append(create_key(anna))
        return change(*arguments)

    monkeypatch.setattr(people, "set_groups", create_and_change)
    portal.accounts.people.set_groups(people.find("Anna"), [])

    assert get_twins(url, keys[0]) == (200, ["Lobby"])
