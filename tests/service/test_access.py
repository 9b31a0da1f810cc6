"""A twin may be for some: what is not yours is not there, and nothing tells that it is."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from service.current import Parts
from service.twin_files import read
from service.twins import Twins
from tests.service.client import Api
from tests.service.conftest import TWIN
from tests.support.upstream import Upstream


def twin(access: str) -> str:
    return TWIN.replace("---\nYou", f"{access}\n---\nYou")


@pytest.mark.parametrize(
    ("access", "for_alice", "for_team", "for_stranger"),
    [
        ("", True, True, True),
        ("access: []", False, False, False),
        ("access: [alice]", True, False, False),
        ("access: ['group:team']", False, True, False),
        ("access: [alice, group:team]", True, True, False),
        ("access: [team, group:alice, alic, Alice, ALICE]", False, False, False),
    ],
)
def test_access_names_people_and_groups(
    access: str, for_alice: bool, for_team: bool, for_stranger: bool
):
    ada = read("ada", twin(access), 1.0)

    assert ada.is_for("alice", frozenset()) == for_alice
    assert ada.is_for("bob", frozenset({"team", "others"})) == for_team
    assert ada.is_for("eve", frozenset({"others"})) == for_stranger


def test_a_person_who_is_called_like_a_group_is_not_in_it():
    ada = read("ada", twin("access: ['group:team']"), 1.0)

    assert not ada.is_for("group:team", frozenset())
    assert not ada.is_for("eve", frozenset({"group:team"}))


@pytest.mark.parametrize(
    "access", ["access:", "access: null", "access: ~", "access: alice", "access: ['group:']"]
)
def test_a_list_that_went_wrong_opens_a_twin_to_nobody(tmp_path: Path, access: str):
    (tmp_path / "ada.md").write_text(twin(access))
    twins = Twins(tmp_path)

    assert twins.all_for("alice", frozenset({"", "team"})) == []
    assert twins.find_for("ada", "alice", frozenset({"", "team"})) is None
    assert "access" in twins.problems()[0]


@pytest.fixture
def stranger(url: str, parts: Parts) -> Iterator[Api]:
    stranger = Api(url, parts.keys.make("bob", "his", "full_access")[1])
    yield stranger
    stranger.session.close()


def give_to(parts: Parts, name: str) -> None:
    (parts.twins.folder / "ada.md").write_text(twin(f"access: [{name}]"))


@pytest.mark.spec("S3", "S34")
def test_1_lists_and_counts_only_the_twins_for_the_caller(api: Api, stranger: Api, parts: Parts):
    for number in range(3):
        text = twin("access: [alice]").replace("Ada", f"T{number}")
        (parts.twins.folder / f"t{number}.md").write_text(text)

    mine, his = api.get("/twins?limit=2").json(), stranger.get("/twins?limit=2").json()

    assert mine["pagination"] == {"page": 1, "limit": 2, "total": 4, "pages": 2}
    assert his["pagination"] == {"page": 1, "limit": 2, "total": 1, "pages": 1}
    assert [t["id"] for t in his["data"]] == ["ada"]
    assert stranger.get("/twins?page=2&limit=2").json()["data"] == []
    assert "access" not in str(mine)


@pytest.mark.spec("S39", "S42")
def test_2_3_a_twin_for_others_is_not_there(api: Api, stranger: Api, parts: Parts):
    give_to(parts, "alice")

    assert api.get("/twins/ada").status_code == 200
    assert api.post("/conversations", json={"twinId": "ada"}).status_code == 201
    hidden = [
        stranger.get("/twins/ada"),
        stranger.post("/conversations", json={"twinId": "ada"}),
        stranger.get("/twins/none"),
    ]
    assert {answer.status_code for answer in hidden} == {404}
    assert len({answer.content for answer in hidden}) == 1


@pytest.mark.parametrize("end", ["messages", "messages/stream"])
def test_5_6_what_was_said_with_a_twin_that_was_taken_away_can_be_read_but_not_gone_on_with(
    api: Api, parts: Parts, model: Upstream, end: str
):
    conversation = api.converse()
    with ThreadPoolExecutor(1) as pool:
        events = pool.submit(list, api.stream(conversation, "Hello"))
        model.reply("Hi")
        events.result(10)
    give_to(parts, "bob")

    path = f"/conversations/{conversation}"
    refused = api.post(f"{path}/{end}", json={"content": "Still there?"})

    assert (refused.status_code, refused.content) == (404, api.get("/twins/none").content)
    assert api.get(path).json()["data"]["twinId"] == "ada"
    assert [c["id"] for c in api.get("/conversations").json()["data"]] == [conversation]
    history = api.get(f"{path}/messages").json()["data"]
    assert [message["content"] for message in history] == ["Hello", "Hi"]
