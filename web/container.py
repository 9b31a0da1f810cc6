"""Who is asking, and what the portal is made of."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from flask import abort, current_app, request, session

from chat.conversations import Conversation, Conversations
from chat.deletion import Deletions
from chat.log.log import Log
from chat.quota import Allowance
from chat.reply_worker import Producer
from chat.search.search import Search
from chat.search.snippets import Pattern
from chat.turns import Turn, Turns
from chat.twins.avatar_fetcher import Avatars
from chat.twins.catalogue import Directory
from chat.twins.recent_twins import Gallery
from core.clock import Clock
from core.database import Database
from core.settings import Settings
from twinapi import Client

EXTENSION = "twindow"


@dataclass(frozen=True, slots=True)
class Portal:
    """The parts of one portal, put together in app.py."""

    settings: Settings
    database: Database
    client: Client
    directory: Directory
    gallery: Gallery
    avatars: Avatars
    conversations: Conversations
    deletions: Deletions
    search: Search
    turns: Turns
    allowance: Allowance
    log: Log
    producer: Producer
    # Long work on one reply, done while everybody else goes on.
    within: Callable[[str], str]
    marked: Callable[[str, Pattern], str]
    # What to say about the model that answers, where the portal brings its own service.
    model_note: Callable[[], object | None]

    @property
    def clock(self) -> Clock:
        """Return the clock of this portal."""
        return self.database.clock


def portal() -> Portal:
    """Return the portal of this request."""
    found: Portal = current_app.extensions[EXTENSION]
    return found


def person() -> str:
    """Return who is asking, "" for a browser that has not said anything yet."""
    return str(session.get("person", ""))


def become_person() -> str:
    """Return who is asking. A browser that says something for the first time becomes somebody."""
    if "person" not in session:
        session["person"] = secrets.token_urlsafe(16)
    # Who only looks around is soon forgotten.
    if request.method == "POST":
        session.permanent = True
    return person()


class Deleted(Exception):
    """Raised for a conversation that its person has deleted and can bring back."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation.id)
        self.conversation = conversation


def own_conversation(conversation_id: str) -> Conversation:
    """Find a conversation through its person, or answer 404. Raises Deleted."""
    found = portal().conversations.find(conversation_id, person())
    if found is None and (gone := portal().deletions.find(conversation_id, person())):
        raise Deleted(gone)
    return found or abort(404)


def own_turn(turn_id: str) -> Turn:
    """Find a turn through its person, or answer 404."""
    return portal().turns.find(turn_id, person()) or abort(404)
