"""What the service is made of."""

from __future__ import annotations

from dataclasses import dataclass

from flask import current_app

from core.database import Database
from core.settings import Settings
from service.access.api_keys import ApiKeys
from service.access.jwt_tokens import JwtTokens
from service.conversations.conversations import Conversations
from service.conversations.messages import Messages
from service.conversations.reply_manager import ReplyManager
from service.llm.client import ModelClient
from service.twins.repository import TwinRepository

EXTENSION_KEY = "twindow-service"


@dataclass(frozen=True, slots=True)
class Container:
    """The parts of one service, put together in create_service."""

    settings: Settings
    database: Database
    api_keys: ApiKeys
    jwt_tokens: JwtTokens
    twins: TwinRepository
    conversations: Conversations
    messages: Messages
    model: ModelClient
    replies: ReplyManager


def container() -> Container:
    """Return the service of this request."""
    extension: Container = current_app.extensions[EXTENSION_KEY]
    return extension
