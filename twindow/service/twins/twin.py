"""Twins: identity, instructions, sampling options and access rules."""

from __future__ import annotations

import re
from collections.abc import Set
from dataclasses import dataclass
from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, field

from twindow.service.owners import EVERY_GROUP, PORTAL_OWNER, owner_named
from twindow.service.twins.sampling import Sampling

GROUP_PREFIX = "group:"
MESSAGE_PLACEHOLDER = "{message}"

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


MessageTemplate = Annotated[
    str,
    Meta(
        max_length=2000,
        pattern=re.escape(MESSAGE_PLACEHOLDER),
        description=f"a text that contains {MESSAGE_PLACEHOLDER}",
    ),
]


class InvalidTwinFile(Exception):
    """Raised for an invalid twin file; the message names the line and the reason."""


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """A message and a reply that show the model how the twin speaks."""

    message: str
    reply: str


class FrontMatter(Sampling, frozen=True, kw_only=True):
    """Metadata of a twin, from the start of its file.

    With `knowledge`, the twin answers from the files in the folder of its name: it quotes a passage
    without a model (`quote`), or the model gets passages in its prompt (`prompt`).

    The model gets each message of the person inside `message_template`. The demo model begins each
    reply with `reply_start`.

    `access` cannot be null: a list that was left empty must not open the twin to everybody. If
    `access` is not set, everybody may see the twin.
    """

    name: Annotated[str, Meta(min_length=1, max_length=100)]
    description: str = ""
    language: LanguageCode | UnsetType = UNSET
    avatar: str = ""
    greeting: str = ""
    starters: list[str] = field(default_factory=list)
    examples: list[Example] = field(default_factory=list)
    message_template: MessageTemplate | None = None
    reply_start: Annotated[str, Meta(max_length=200)] = ""
    knowledge: Literal["quote", "prompt"] | None = None
    access: list[AccessEntry] | UnsetType = UNSET


@dataclass(frozen=True, slots=True)
class Twin:
    """A twin. The id is the file name without extension; times are in seconds since 1970."""

    id: str
    front_matter: FrontMatter
    instructions: str
    updated_at: float
    avatar_line: int = 1

    def fill_template(self, message: str) -> str:
        """Return what the model gets for a message of the person."""
        template = self.front_matter.message_template
        return template.replace(MESSAGE_PLACEHOLDER, message) if template else message

    @property
    def needs_model(self) -> bool:
        """Return whether the replies are written by a model, not quoted from files."""
        return self.front_matter.knowledge != "quote"

    @property
    def language(self) -> str:
        """Return the code of the language of the twin, English by default."""
        return self.front_matter.language or "en"

    def is_visible_to(self, sub: str, groups: Set[str]) -> bool:
        """Return whether a person may see the twin. A person named `group:x` is not in group x."""
        if self.front_matter.access is UNSET:
            return True
        is_in_every_group = sub == PORTAL_OWNER and EVERY_GROUP in groups
        return any(
            is_in_every_group or name.removeprefix(GROUP_PREFIX) in groups
            if name.startswith(GROUP_PREFIX)
            else owner_named(name) == sub
            for name in self.front_matter.access
        )
