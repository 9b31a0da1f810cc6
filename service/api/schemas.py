"""What answers are made of: the resources and events of the interface, as they are written."""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

import msgspec

from service.interface_types import ErrorCode, MessageStatus, ReplyErrorCode, Role, Scope, StageName

T = TypeVar("T")

Timestamp = Annotated[
    str, msgspec.Meta(description="ISO 8601, UTC.", extra_json_schema={"format": "date-time"})
]


class ApiStruct(msgspec.Struct, kw_only=True, rename="camel"):
    """Names are written in camelCase."""


class Twin(ApiStruct):
    """A twin. What it is told about itself is never shown."""

    id: str
    name: str
    description: str
    language: str | None
    avatar_url: str | None
    greeting: str
    starters: list[str]
    created_at: Timestamp
    updated_at: Timestamp


class Conversation(ApiStruct):
    """A conversation with one twin."""

    id: str
    twin_id: str
    title: str
    created_at: Timestamp
    updated_at: Timestamp


class Message(ApiStruct):
    """A message; a reply that was stopped or broke off is incomplete."""

    id: str
    conversation_id: str
    role: Role
    content: str
    created_at: Timestamp
    reply_to: Annotated[str | None, msgspec.Meta(description="The message that it answers.")]
    status: MessageStatus


class ApiKey(ApiStruct):
    """An API key, without its secret."""

    id: str
    name: str
    scope: Scope
    created_at: Timestamp
    expires_at: Timestamp | None
    last_used_at: Timestamp | None


class ApiKeyWithSecret(ApiKey):
    """An API key that has just been made: its secret is shown this once."""

    key: str


class Pagination(ApiStruct):
    """Which page of how many this is."""

    page: int
    limit: int
    total: int
    pages: int


class ItemResponse(ApiStruct, Generic[T]):
    """An answer about one thing."""

    data: T


class PageResponse(ApiStruct, Generic[T]):
    """A page of a list."""

    data: list[T]
    pagination: Pagination


class Stage(ApiStruct, omit_defaults=True):
    """What is being done before there is text."""

    stage: StageName
    percent: float | None
    ahead: Annotated[int | None, msgspec.Meta(description="How many replies come before.")] = None


class Progress(ApiStruct, tag_field="type", tag="progress"):
    """The reply is on its way."""

    progress: Stage


class Delta(ApiStruct, tag_field="type", tag="delta"):
    """A piece of the reply."""

    content: str


class Complete(ApiStruct, tag_field="type", tag="complete"):
    """The whole reply, stored; the stream ends."""

    message: Message
    cut_off: Annotated[
        bool, msgspec.Meta(description="Whether the reply ended at the model's bound.")
    ] = False


class Error(ApiStruct, tag_field="type", tag="error"):
    """There is no reply, or no whole one; the stream ends."""

    error: str
    code: ReplyErrorCode


Event = Progress | Delta | Complete | Error


class ErrorDetail(ApiStruct):
    """Which field is at fault, and why."""

    field: str
    reason: str


class ErrorResponse(ApiStruct):
    """Why a request was not followed."""

    error: Annotated[str, msgspec.Meta(description="A sentence for people.")]
    code: Annotated[ErrorCode, msgspec.Meta(description="A word for programs.")]
    details: list[ErrorDetail]
