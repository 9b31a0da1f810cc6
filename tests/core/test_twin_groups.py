"""TWINDOW_TWIN_GROUPS: twins that only some groups may use."""

from __future__ import annotations

import pytest

from twindow.core.twin_groups import TwinGroups


def test_twin_with_a_rule_is_for_its_groups_and_others_are_for_everyone():
    rules = TwinGroups("sales-coach=sales, managers; legal=legal")

    access = rules.permissions_for(["managers"])

    assert access.allows("sales-coach")
    assert access.allows("unlisted")
    assert not access.allows("legal")


def test_star_rule_applies_to_every_twin_without_a_rule_of_its_own():
    rules = TwinGroups("*=staff; lobby=guests,staff")

    assert rules.permissions_for(["staff"]).is_unlimited
    assert rules.permissions_for(["guests"]).allows("lobby")
    assert not rules.permissions_for(["guests"]).allows("unlisted")
    assert not rules.permissions_for([]).allows("lobby")


def test_percent_encoded_twin_id_in_a_rule_is_decoded():
    rules = TwinGroups("a%3Bb%3D%20c=x")

    assert not rules.permissions_for([]).allows("a;b= c")
    assert rules.permissions_for([]).allows("a")


def test_without_rules_everyone_may_use_every_twin():
    assert TwinGroups("").permissions_for([]).is_unlimited


def test_names_of_groups_compare_exactly():
    assert not TwinGroups("ada=Staff").permissions_for(["staff", "Staff2"]).allows("ada")


def test_malformed_rule_is_refused():
    for text in ("ada", "ada=", "=x", ";", "ada=x;ada=y", "ada=\0", "ada=,"):
        with pytest.raises(ValueError, match=r"rule|group|like"):
            TwinGroups(text)
