"""Access lists of twins. A hidden twin cannot be distinguished from one that does not exist."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from service.container import Container
from service.owners import EVERY_GROUP, PORTAL_OWNER
from service.twins.parser import parse
from service.twins.repository import TwinRepository
from tests.service.client import ApiClient
from tests.service.conftest import TWIN
from tests.support.upstream import Upstream


def twin(access: str) -> str:
    return TWIN.replace("---\nYou", f"{access}\n---\nYou")


# Cases: an access list, and whether it admits alice, any member of `team`, and a stranger.
ACCESS = [
    ("", True, True, True),
    ("access: []", False, False, False),
    ("access: [alice]", True, False, False),
    ("access: ['group:team']", False, True, False),
    ("access: [alice, group:team]", True, True, False),
    ("access: [team, group:alice, alic, Alice, ALICE]", False, False, False),
]


def test_access_list_admits_named_people_and_groups():
    for_whom = []
    for access, *_ in ACCESS:
        ada = parse("ada", twin(access), 1.0)
        alice = ada.is_visible_to("alice", frozenset())
        team = ada.is_visible_to("bob", frozenset({"team", "others"}))
        for_whom.append((access, alice, team, ada.is_visible_to("eve", frozenset({"others"}))))

    assert [row for row in for_whom if row not in ACCESS] == []


def test_portal_shows_a_twin_to_the_groups_in_its_file(tmp_path: Path):
    accesses = {"open": "", "draft": "access: []", "named": "access: [alice]"}
    accesses |= {"team": "access: ['group:team']", "all": "access: [portal, 'group:team']"}
    for twin_id, access in accesses.items():
        (tmp_path / f"{twin_id}.md").write_text(twin(access))
    twins = TwinRepository(tmp_path)

    def shown_to(*groups: str) -> set[str]:
        return {twin_id for twin_id in accesses if twins.portal_access(groups).allows(twin_id)}

    assert shown_to() == {"open", "all"}
    assert shown_to("team") == {"open", "all", "team"}


def test_portal_hides_a_twin_whose_file_becomes_invalid_as_before(tmp_path: Path):
    file = tmp_path / "team.md"
    file.write_text(twin("access: ['group:team']"))
    twins = TwinRepository(tmp_path)
    twins.portal_access(())
    file.write_text("no twin")

    assert not twins.portal_access(()).allows("team")
    assert twins.portal_access(("team",)).allows("team")


def test_portal_hides_a_twin_whose_file_was_never_valid(tmp_path: Path):
    (tmp_path / "team.md").write_text("no twin")

    assert not TwinRepository(tmp_path).portal_access(("team",)).allows("team")


def test_key_of_the_embedded_portal_sees_twins_of_groups_but_no_drafts():
    groups = frozenset({EVERY_GROUP})

    assert parse("ada", twin("access: ['group:team']"), 1.0).is_visible_to(PORTAL_OWNER, groups)
    assert not parse("ada", twin("access: []"), 1.0).is_visible_to(PORTAL_OWNER, groups)
    assert not parse("ada", twin("access: ['group:team']"), 1.0).is_visible_to("eve", groups)


def test_person_named_like_a_group_is_not_a_member():
    ada = parse("ada", twin("access: ['group:team']"), 1.0)

    assert not ada.is_visible_to("group:team", frozenset())
    assert not ada.is_visible_to("eve", frozenset({"group:team"}))


def test_invalid_access_list_admits_nobody(tmp_path: Path):
    wrong = []
    for access in ("access:", "access: null", "access: ~", "access: alice", "access: ['group:']"):
        (tmp_path / "ada.md").write_text(twin(access))
        twins = TwinRepository(tmp_path)
        groups = frozenset({"", "team"})
        let_in = [
            *twins.list_visible_to("alice", groups),
            twins.find_visible_to("ada", "alice", groups),
        ]
        if let_in != [None] or "access" not in twins.problems()[0]:
            wrong.append((access, let_in, twins.problems()))
    assert wrong == []


@pytest.fixture
def stranger(url: str, container: Container) -> Iterator[ApiClient]:
    stranger = ApiClient(url, container.api_keys.create("bob", "his", "full_access")[1])
    yield stranger
    stranger.session.close()


def give_to(container: Container, name: str) -> None:
    (container.twins.folder / "ada.md").write_text(twin(f"access: [{name}]"))


@pytest.mark.spec("S3", "S34")
def test_twin_list_has_and_counts_only_twins_visible_to_the_caller(
    api: ApiClient, stranger: ApiClient, container: Container
):
    for number in range(3):
        text = twin("access: [alice]").replace("Ada", f"T{number}")
        (container.twins.folder / f"t{number}.md").write_text(text)

    mine, his = api.get("/twins?limit=2").json(), stranger.get("/twins?limit=2").json()

    assert mine["pagination"] == {"page": 1, "limit": 2, "total": 4, "pages": 2}
    assert his["pagination"] == {"page": 1, "limit": 2, "total": 1, "pages": 1}
    assert [t["id"] for t in his["data"]] == ["ada"]
    assert stranger.get("/twins?page=2&limit=2").json()["data"] == []
    assert "access" not in str(mine)


@pytest.mark.spec("S39", "S42")
def test_hidden_twin_gives_the_same_404_as_a_missing_twin(
    api: ApiClient, stranger: ApiClient, container: Container
):
    give_to(container, "alice")

    assert api.get("/twins/ada").status_code == 200
    assert api.post("/conversations", json={"twinId": "ada"}).status_code == 201
    hidden = [
        stranger.get("/twins/ada"),
        stranger.post("/conversations", json={"twinId": "ada"}),
        stranger.get("/twins/none"),
    ]
    assert {answer.status_code for answer in hidden} == {404}
    assert len({answer.content for answer in hidden}) == 1


def test_conversation_becomes_read_only_when_access_to_its_twin_is_withdrawn(
    api: ApiClient, container: Container, model: Upstream
):
    model.always_reply("Hi")
    path = f"/conversations/{(conversation := api.create_conversation())}"
    api.post(f"{path}/messages", json={"content": "Hello"})
    give_to(container, "bob")

    gone = api.get("/twins/none")
    for end in ("messages", "messages/stream"):
        refused = api.post(f"{path}/{end}", json={"content": "Still there?"})
        assert (refused.status_code, refused.content) == (404, gone.content)
    assert api.get(path).json()["data"]["twinId"] == "ada"
    assert [c["id"] for c in api.get("/conversations").json()["data"]] == [conversation]
    history = api.get(f"{path}/messages").json()["data"]
    assert [message["content"] for message in history] == ["Hello", "Hi"]
