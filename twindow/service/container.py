"""Container of the collaborating objects of one service."""

from __future__ import annotations

from dataclasses import dataclass, field

from flask import Flask, current_app

from twindow.core.db.database import Database
from twindow.core.settings import Settings
from twindow.service.conversations import Conversations, Messages, ReplyManager
from twindow.service.credentials import ApiKeys, JwtTokens
from twindow.service.knowledge import Knowledge
from twindow.service.llm import ModelClient
from twindow.service.twins import TwinRepository

EXTENSION_KEY = "twindow-service"


@dataclass(frozen=True, slots=True)
class Container:
    """The objects of one service, created by `create_service_app`."""

    settings: Settings
    secret_key: str = field(repr=False)
    database: Database
    api_keys: ApiKeys
    jwt_tokens: JwtTokens
    twins: TwinRepository
    conversations: Conversations
    messages: Messages
    model: ModelClient
    knowledge: Knowledge
    reply_manager: ReplyManager


def container() -> Container:
    """Return the container of the current app."""
    return get_container(current_app)


def get_container(app: Flask) -> Container:
    """Return the container of `app`."""
    extension: Container = app.extensions[EXTENSION_KEY]
    return extension
