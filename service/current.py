"""What the service is made of."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app

from config import Settings
from database import Database
from service.conversations import Conversations
from service.keys import Keys
from service.messages import Messages
from service.model import Model
from service.replies import Replies
from service.tokens import Tokens
from service.twins import Twins

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
