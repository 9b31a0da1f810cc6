"""The notice about the action that was just done to a conversation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import request

from twindow.chat.conversations import Conversation
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
    """An action and the conversation it was applied to."""

    action: str
    conversation: Conversation

    @property
    def sentence(self) -> str:
        """Return the untranslated sentence, with the placeholder `title`."""
        return SENTENCES[self.action]


def read_action_notice() -> ActionNotice | None:
    """Return the notice for the query parameters `done` and `conversation`.

    Return None if the parameters are invalid, or if the action has been undone.
    """
    action, conversation_id = request.args.get("done", ""), request.args.get("conversation", "")
    if action not in SENTENCES or not conversation_id:
        return None
    if action == "deleted":
        conversation = find_deleted_conversation(conversation_id)
    else:
        conversation = find_conversation(conversation_id)
    is_still_true = STILL_TRUE.get(action)
    if conversation is None or (is_still_true and not is_still_true(conversation)):
        return None
    return ActionNotice(action, conversation)
