"""Every state that a page can be in. To add one, write a function that reaches it."""

from tests.accessibility.environment import STATES
from tests.accessibility.states import (
    api,
    conversation,
    conversations,
    endings,
    errors,
    gallery,
    keys,
    languages,
    long,
    pages,
    reply,
    shelf,
    twin,
)

__all__ = [
    "STATES",
    "api",
    "conversation",
    "conversations",
    "endings",
    "errors",
    "gallery",
    "keys",
    "languages",
    "long",
    "pages",
    "reply",
    "shelf",
    "twin",
]
