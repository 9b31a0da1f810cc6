"""Owners of keys and conversations: the `sub` of a token, or the portal."""

from __future__ import annotations

# The name of the portal in access lists and commands. A token that claims this name is refused.
PORTAL_NAME = "portal"
# The `sub` of a token cannot contain a control character, so no token can claim this owner.
PORTAL_OWNER = f"\x1f{PORTAL_NAME}"
# The group of the key of the portal in the same process, which applies the groups to each person.
# Nobody else can have a group with a control character.
EVERY_GROUP = "\x1f*"


def owner_named(name: str) -> str:
    """Return the owner that an operator calls `name`."""
    return PORTAL_OWNER if name == PORTAL_NAME else name


def is_claimable(sub: str) -> bool:
    """Return whether a token may claim to be `sub`."""
    return sub.isprintable() and sub != PORTAL_NAME
