"""What was done to a conversation just now: the page that follows says so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from flask import request

from chat.conversations import Conversation
from core.languages import N_
from web.container import portal
from web.current_person import person

SENTENCES = {
    "renamed": N_("It is called “%(title)s” now"),
    "pinned": N_("“%(title)s” was pinned"),
    "unpinned": N_("“%(title)s” is not pinned any more"),
    "archived": N_("“%(title)s” was archived"),
    "listed": N_("“%(title)s” is in the list again"),
    "deleted": N_("“%(title)s” was deleted"),
    "restored": N_("“%(title)s” is back"),
}
STILL_TRUE: dict[str, Callable[[Conversation], bool]] = {
    "pinned": lambda conversation: conversation.pinned,
    "unpinned": lambda conversation: not conversation.pinned,
    "archived": lambda conversation: conversation.archived,
    "listed": lambda conversation: not conversation.archived,
}


@dataclass(frozen=True, slots=True)
class ActionNotice:
    """What was done, with which conversation."""

    action: str
    conversation: Conversation

    @property
    def sentence(self) -> str:
        """Return what is said of it, to be translated and given a title."""
        return SENTENCES[self.action]


def read_action_notice() -> ActionNotice | None:
    """Read it from the address; None if nothing was done, or it is not so any more."""
    action, conversation_id = request.args.get("done", ""), request.args.get("of", "")
    if action not in SENTENCES or not conversation_id:
        return None
    if action == "deleted":
        conversation = portal().deletions.find(conversation_id, person())
    else:
        conversation = portal().conversations.find(conversation_id, person())
    is_still_true = STILL_TRUE.get(action)
    if conversation is None or (is_still_true and not is_still_true(conversation)):
        return None
    return ActionNotice(action, conversation)
