"""All page states. Add a state with a function that opens a page in this state."""

from tests.accessibility.environment import STATES
from tests.accessibility.states import (
    conversation,
    conversation_actions,
    conversations,
    errors,
    gallery,
    keys,
    languages,
    long_conversations,
    pages,
    reply,
    reply_ends,
    session,
    twin,
)

__all__ = [
    "STATES",
    "conversation",
    "conversation_actions",
    "conversations",
    "errors",
    "gallery",
    "keys",
    "languages",
    "long_conversations",
    "pages",
    "reply",
    "reply_ends",
    "session",
    "twin",
]
