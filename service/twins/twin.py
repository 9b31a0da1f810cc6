"""A twin: who it is, how it speaks, and for whom."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass
from typing import Annotated

from msgspec import UNSET, Meta, Struct, UnsetType, field

from service.twins.sampling import Sampling

GROUP_PREFIX = "group:"

AccessEntry = Annotated[
    str,
    Meta(
        pattern=rf"^(?!{GROUP_PREFIX}\s*$).*\S",
        description=f"the name of a person, or {GROUP_PREFIX}NAME without a space",
    ),
]


LanguageCode = Annotated[
    str,
    Meta(
        max_length=35,
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*\Z",
        description="the code of a language, for example de or pt-BR",
    ),
]


class InvalidTwinFile(Exception):
    """Raised for a file that is no twin; the text says which line of it, and why."""


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """An exchange that shows the model how the twin speaks."""

    said: str
    reply: str


class FrontMatter(Sampling, frozen=True, kw_only=True):
    """What stands before the instructions.

    `access` is never null: a list that somebody left empty must not open a twin to everybody.
    """

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    description: str = ""
    language: LanguageCode | UnsetType = UNSET
    avatar: str = ""
    greeting: str = ""
    starters: list[str] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    access: list[AccessEntry] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Twin:
    """A twin. Its id is the name of its file; times are seconds since 1970."""

    id: str
    front_matter: FrontMatter
    instructions: str
    updated_at: float
    avatar_line: int = 1

    def is_visible_to(self, sub: str, groups: Set[str]) -> bool:
        """Tell whether somebody may see it; a person called `group:x` is not the group x."""
        if self.front_matter.access is UNSET:
            return True
        return any(
            name.removeprefix(GROUP_PREFIX) in groups
            if name.startswith(GROUP_PREFIX)
            else name == sub
            for name in self.front_matter.access
        )
