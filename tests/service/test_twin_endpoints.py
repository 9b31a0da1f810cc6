"""The twins that a caller sees: endpoints 1 and 2 of the interface."""

from __future__ import annotations

import os
from urllib.parse import quote

import pytest

from tests.service.client import ApiClient
from tests.support.upstream import Upstream
from twindow.service.container import Container


@pytest.mark.spec("S3", "S11", "S27", "S28", "S34", "S37", "S38", "S40")
def test_twins_are_listed_by_name_and_each_can_be_read_and_used(
    api: ApiClient, container: Container
):
    (container.twins.folder / "bob.md").write_text("---\nname: A man called Bob\n---\n")
    listed = api.get("/twins").json()

    assert list(listed) == ["data", "pagination"]
    assert [twin["id"] for twin in listed["data"]] == ["bob", "ada"]
    for twin in listed["data"]:
        assert api.get(f"/twins/{twin['id']}").json() == {"data": twin}
        assert api.post("/conversations", json={"twinId": twin["id"]}).status_code == 201


@pytest.mark.spec("S13")
def test_twin_has_a_public_profile_without_its_instructions(api: ApiClient):
    twin = api.get("/twins/ada").json()["data"]

    assert (twin["name"], twin["greeting"]) == ("Ada", "Hello.")
    assert twin["starters"] == ["One", "Two", "Three"]
    fields = "id name description language avatarUrl greeting starters createdAt updatedAt"
    assert set(twin) == set(fields.split())
    assert "You are Ada" not in str(twin)


@pytest.mark.spec("S12", "S28", "S39")
def test_twin_is_identified_by_exactly_its_file_name(api: ApiClient, container: Container):
    odd = "Größe & co #1"
    (container.twins.folder / f"{odd}.md").write_text("---\nname: Odd\n---\n")

    assert odd in [twin["id"] for twin in api.get("/twins").json()["data"]]
    assert api.get(f"/twins/{quote(odd)}").json()["data"]["id"] == odd
    made = api.post("/conversations", json={"twinId": odd}).json()["data"]
    assert made["twinId"] == odd
    assert api.get("/conversations", params={"twinId": odd}).json()["data"] == [made]
    for unknown in ("nobody", "ADA", "ada.md", "..%2Fada", "ada/"):
        assert api.get(f"/twins/{unknown}").status_code == 404


def test_twin_file_dated_in_the_far_future_does_not_break_the_list(
    api: ApiClient, container: Container
):
    late = container.twins.folder / "late.md"
    late.write_text("---\nname: Late\n---\n")
    os.utime(late, (2**38, 2**38))

    assert {twin["id"] for twin in api.get("/twins").json()["data"]} == {"ada", "late"}


def restrict_to(container: Container, name: str, twin_id: str = "ada") -> None:
    """Make a twin visible to one person only."""
    text = f"---\nname: Twin\naccess: [{name}]\n---\n"
    (container.twins.folder / f"{twin_id}.md").write_text(text)


@pytest.mark.spec("S3", "S34")
def test_twin_list_has_and_counts_only_twins_visible_to_the_caller(
    api: ApiClient, stranger: ApiClient, container: Container
):
    for number in range(3):
        restrict_to(container, "alice", f"t{number}")

    own, other = (client.get("/twins?limit=2").json() for client in (api, stranger))

    assert own["pagination"] == {"page": 1, "limit": 2, "total": 4, "pages": 2}
    assert other["pagination"] == {"page": 1, "limit": 2, "total": 1, "pages": 1}
    assert [twin["id"] for twin in other["data"]] == ["ada"]


@pytest.mark.spec("S39", "S42")
def test_hidden_twin_gives_the_same_404_as_a_missing_twin(
    api: ApiClient, stranger: ApiClient, container: Container
):
    restrict_to(container, "alice")
    hidden, missing = (
        [stranger.get(f"/twins/{id_}"), stranger.post("/conversations", json={"twinId": id_})]
        for id_ in ("ada", "none")
    )

    assert api.post("/conversations", json={"twinId": "ada"}).status_code == 201
    assert [answer.status_code for answer in hidden + missing] == [404] * 4
    assert len({answer.content for answer in hidden + missing}) == 1


def test_conversation_becomes_read_only_when_access_to_its_twin_is_withdrawn(
    api: ApiClient, model: Upstream, container: Container
):
    model.always_reply("Hi")
    api.send(conversation := api.create_conversation())
    restrict_to(container, "bob")

    gone = api.get("/twins/none")
    for refused in (api.send(conversation), api.begin_stream(conversation)):
        assert (refused.status_code, refused.content) == (404, gone.content)
    assert api.get(f"/conversations/{conversation}").json()["data"]["twinId"] == "ada"
    assert [c["id"] for c in api.get("/conversations").json()["data"]] == [conversation]
    assert [message["content"] for message in api.history(conversation)] == ["Hello", "Hi"]
