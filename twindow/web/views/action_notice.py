"""The notice about the action that was just done to one or several conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from flask import request

from twindow.chat.conversations import PAGE_SIZE, Conversation
from twindow.core.languages import N_
from twindow.web.person.ownership import find_conversation, find_deleted_conversation

SENTENCES = {
    "renamed": N_("Renamed to “%(title)s”"),
    "pinned": N_("“%(title)s” pinned"),
    "unpinned": N_("“%(title)s” unpinned"),
    "archived": N_("“%(title)s” archived"),
    "listed": N_("“%(title)s” unarchived"),
    "deleted": N_("“%(title)s” deleted"),
    "restored": N_("“%(title)s” restored"),
}
STILL_TRUE: dict[str, Callable[[Conversation], bool]] = {
    "pinned": lambda conversation: conversation.pinned,
    "unpinned": lambda conversation: not conversation.pinned,
    "archived": lambda conversation: conversation.archived,
    "listed": lambda conversation: not conversation.archived,
}


@dataclass(frozen=True, slots=True)
class ActionNotice:
    """An action and the conversations it was applied to."""

    action: str
    conversations: Sequence[Conversation]

    @property
    def sentence(self) -> str:
        """Return the untranslated sentence about one conversation, with the placeholder `title`."""
        return SENTENCES[self.action]


def read_action_notice() -> ActionNotice | None:
    """Return the notice for the query parameters `done` and `conversation` (one or several).

    Return None if the parameters are invalid, or if the action has been undone.
    """
    action, ids = request.args.get("done", ""), request.args.getlist("conversation")[:PAGE_SIZE]
    if action not in SENTENCES:
        return None
    find = find_deleted_conversation if action == "deleted" else find_conversation
    is_still_true = STILL_TRUE.get(action, bool)
    if action in ("renamed", "pinned", "unpinned"):
        del ids[1:]  # nobody does these to several conversations at once
    conversations = [c for id_ in dict.fromkeys(ids) if (c := find(id_)) and is_still_true(c)]
    return ActionNotice(action, conversations) if conversations else None
