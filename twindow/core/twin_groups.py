"""Twins that only some groups of people may use: the value of TWINDOW_TWIN_GROUPS."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from urllib.parse import unquote

OTHER_TWINS = "*"
MAX_GROUP_CHARACTERS = 100


@dataclass(frozen=True, slots=True)
class TwinPermissions:
    """Twins that a person may use: those in `twin_ids`, or all others if `is_exclusion`."""

    twin_ids: frozenset[str] = frozenset()
    is_exclusion: bool = True

    @property
    def is_unlimited(self) -> bool:
        """Return whether the person may use every twin."""
        return self.is_exclusion and not self.twin_ids

    def allows(self, twin_id: str) -> bool:
        """Return whether the person may use a twin."""
        return (twin_id in self.twin_ids) != self.is_exclusion


EVERY_TWIN = TwinPermissions()


class TwinGroups:
    """Rules, parsed from text such as `sales=sales,managers; legal=legal; *=staff`.

    A rule has the id of a twin and the groups that may use the twin. Characters such as `=` and `;`
    in an id are percent-encoded. `*` is every twin without a rule. Raises ValueError with a plain
    reason.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.groups_by_twin: dict[str, frozenset[str]] = {}
        for rule in filter(None, map(str.strip, text.split(";"))):
            name, separator, listed = rule.partition("=")
            twin_id, groups = unquote(name.strip()), parse_groups(listed)
            if not (separator and twin_id and groups):
                raise ValueError(f"“{rule}” is not like “twin-id=group,group”")
            if twin_id in self.groups_by_twin:
                raise ValueError(f"“{twin_id}” has two rules")
            self.groups_by_twin[twin_id] = frozenset(groups)
        if text.strip() and not self.groups_by_twin:
            raise ValueError("it contains no rule")

    def permissions_for(self, groups: Collection[str]) -> TwinPermissions:
        """Return the twins that a person in these groups may use."""
        allowed: set[str] = set()
        denied: set[str] = set()
        for twin_id, permitted_groups in self.groups_by_twin.items():
            (denied if permitted_groups.isdisjoint(groups) else allowed).add(twin_id)
        if OTHER_TWINS in denied:
            return TwinPermissions(frozenset(allowed), is_exclusion=False)
        return TwinPermissions(frozenset(denied))


def parse_groups(text: str) -> list[str]:
    """Return the names in a comma-separated list, sorted. Names are case-sensitive.

    Raises ValueError for a name with control characters or of more than `MAX_GROUP_CHARACTERS`.
    """
    names = {name for part in text.split(",") if (name := part.strip())}
    for name in names:
        if len(name) > MAX_GROUP_CHARACTERS or not name.isprintable():
            raise ValueError(f"“{name[:MAX_GROUP_CHARACTERS]}” is not a name of a group")
    return sorted(names)
