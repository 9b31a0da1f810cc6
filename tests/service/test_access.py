"""Access lists of twins. A hidden twin cannot be distinguished from one that does not exist."""

from __future__ import annotations

from pathlib import Path

from tests.service.conftest import TWIN
from twindow.service.owners import EVERY_GROUP, PORTAL_OWNER
from twindow.service.twins.parser import parse
from twindow.service.twins.repository import TwinRepository


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
        return {twin_id for twin_id in accesses if twins.portal_permissions(groups).allows(twin_id)}

    assert shown_to() == {"open", "all"}
    assert shown_to("team") == {"open", "all", "team"}


def test_portal_hides_a_twin_whose_file_becomes_invalid_as_before(tmp_path: Path):
    (tmp_path / "team.md").write_text(twin("access: ['group:team']"))
    (tmp_path / "never.md").write_text("no twin")
    twins = TwinRepository(tmp_path)
    twins.portal_permissions(())
    (tmp_path / "team.md").write_text("no twin")

    assert not twins.portal_permissions(()).allows("team")
    assert twins.portal_permissions(("team",)).allows("team")
    assert not twins.portal_permissions(("team",)).allows("never")


def test_key_of_the_embedded_portal_sees_twins_of_groups_but_no_drafts():
    groups = frozenset({EVERY_GROUP})

    assert parse("ada", twin("access: ['group:team']"), 1.0).is_visible_to(PORTAL_OWNER, groups)
    assert not parse("ada", twin("access: []"), 1.0).is_visible_to(PORTAL_OWNER, groups)
    assert not parse("ada", twin("access: ['group:team']"), 1.0).is_visible_to("eve", groups)


def test_access_list_entry_portal_admits_the_portal_but_no_person_of_that_name():
    ada = parse("ada", twin("access: [portal]"), 1.0)

    assert ada.is_visible_to(PORTAL_OWNER, frozenset())
    assert not ada.is_visible_to("portal", frozenset())


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
