"""Who is asking, and what the portal is made of."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass

from flask import abort, current_app, request, session

from chat.conversations import Conversation, Conversations
from chat.deletion import Deletions
from chat.log.log import Log
from chat.quota import Quota
from chat.reply_worker import ReplyWorker
from chat.search.search import Search
from chat.search.snippets import SearchPattern
from chat.turns import Turn, Turns
from chat.twins.avatar_fetcher import AvatarFetcher
from chat.twins.catalogue import TwinCatalogue
from chat.twins.recent_twins import RecentTwins
from core.clock import Clock
from core.database import Database
from core.settings import Settings
from twinapi import Client

EXTENSION_KEY = "twindow"


@dataclass(frozen=True, slots=True)
class Portal:
    """The parts of one portal, put together in app.py."""

    settings: Settings
    database: Database
    client: Client
    catalogue: TwinCatalogue
    recent_twins: RecentTwins
    avatars: AvatarFetcher
    conversations: Conversations
    deletions: Deletions
    search: Search
    turns: Turns
    quota: Quota
    log: Log
    reply_worker: ReplyWorker
    # Long work on one reply, done while everybody else goes on.
    embed_markdown: Callable[[str], str]
    mark_hits: Callable[[str, SearchPattern], str]
    # What to say about the model that answers, where the portal brings its own service.
    model_note: Callable[[], object | None]

    @property
    def clock(self) -> Clock:
        """Return the clock of this portal."""
        return self.database.clock


def portal() -> Portal:
    """Return the portal of this request."""
    instance: Portal = current_app.extensions[EXTENSION_KEY]
    return instance


def person() -> str:
    """Return who is asking, "" for a browser that has not said anything yet."""
    return str(session.get("person", ""))


def ensure_person() -> str:
    """Return who is asking. A browser that says something for the first time becomes somebody."""
    if "person" not in session:
        session["person"] = secrets.token_urlsafe(16)
    # Who only looks around is soon forgotten.
    if request.method == "POST":
        session.permanent = True
    return person()


class RecentlyDeleted(Exception):
    """Raised for a conversation that its person has deleted and can bring back."""

    def __init__(self, conversation: Conversation) -> None:
        super().__init__(conversation.id)
        self.conversation = conversation


def own_conversation(conversation_id: str) -> Conversation:
    """Find a conversation through its person, or answer 404. Raises Deleted."""
    conversation = portal().conversations.find(conversation_id, person())
    if conversation is None and (
        deleted_conversation := portal().deletions.find(conversation_id, person())
    ):
        raise RecentlyDeleted(deleted_conversation)
    return conversation or abort(404)


def own_turn(turn_id: str) -> Turn:
    """Find a turn through its person, or answer 404."""
    return portal().turns.find(turn_id, person()) or abort(404)
