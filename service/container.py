"""What the service is made of."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app

from core.database import Database
from core.settings import Settings
from service.access.api_keys import Keys
from service.access.jwt_tokens import Tokens
from service.conversations.conversations import Conversations
from service.conversations.messages import Messages
from service.conversations.reply_manager import Replies
from service.llm.client import Model
from service.twins.repository import Twins

EXTENSION = "twindow-service"


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of one service, put together in create_service."""

    settings: Settings
    database: Database
    keys: Keys
    tokens: Tokens
    twins: Twins
    conversations: Conversations
    messages: Messages
    model: Model
    replies: Replies


def parts() -> Parts:
    """Return the service of this request."""
    found: Parts = current_app.extensions[EXTENSION]
    return found
