"""Resources, events and errors of the API, as they are serialised.

The docstrings of the classes are descriptions in the OpenAPI document.
"""

from __future__ import annotations

from typing import Annotated, Generic, TypeVar

import msgspec

from twindow.service.interface_types import (
    ErrorCode,
    MessageStatus,
    ReplyErrorCode,
    Role,
    Scope,
    StageName,
)

T = TypeVar("T")

Timestamp = Annotated[
    str, msgspec.Meta(description="ISO 8601, UTC.", extra_json_schema={"format": "date-time"})
]


class ApiStruct(msgspec.Struct, kw_only=True, rename="camel"):
    """Base class; field names become camelCase."""


class Twin(ApiStruct):
    """A twin, without its instructions."""

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


class Usage(ApiStruct):
    """The tokens of a prompt and its reply, and the model that wrote the reply."""

    input_tokens: int
    output_tokens: int
    model: str


class Source(ApiStruct):
    """A passage of a file, which a reply quotes, cites or offers."""

    file: Annotated[str, msgspec.Meta(description="Path in the knowledge folder of the twin.")]
    heading: str
    passage: Annotated[str, msgspec.Meta(description="Markdown.")]


class Message(ApiStruct):
    """A message or reply. A reply that was stopped or interrupted is incomplete."""

    id: str
    conversation_id: str
    role: Role
    content: str
    created_at: Timestamp
    reply_to: Annotated[
        str | None, msgspec.Meta(description="Id of the message that this replies to.")
    ]
    status: MessageStatus
    cut_off: Annotated[
        bool, msgspec.Meta(description="Whether a reply ended at the model's token limit.")
    ]
    usage: Annotated[
        Usage | None, msgspec.Meta(description="Of a reply, if the model server reports it.")
    ]
    sources: Annotated[
        list[Source], msgspec.Meta(description="Of a reply that quotes or cites files.")
    ] = msgspec.field(default_factory=list)


class ApiKey(ApiStruct):
    """An API key, without its secret."""

    id: str
    name: str
    scope: Scope
    created_at: Timestamp
    expires_at: Timestamp | None
    last_used_at: Timestamp | None


class ApiKeyWithSecret(ApiKey):
    """A new API key with its secret, which is returned only once."""

    key: str


class Pagination(ApiStruct):
    """Position in a paginated list."""

    page: int
    limit: int
    total: int
    pages: int


class ItemResponse(ApiStruct, Generic[T]):
    """A response with one object."""

    data: T


class PageResponse(ApiStruct, Generic[T]):
    """A response with one page of a list."""

    data: list[T]
    pagination: Pagination


class Stage(ApiStruct, omit_defaults=True):
    """The stage that a reply has reached."""

    stage: StageName
    percent: float | None
    ahead: Annotated[
        int | None, msgspec.Meta(description="Number of replies ahead in the queue.")
    ] = None


class Progress(ApiStruct, tag_field="type", tag="progress"):
    """Event: the reply has reached a stage, or is still in it."""

    progress: Stage


class Delta(ApiStruct, tag_field="type", tag="delta"):
    """Event: the next piece of text of the reply."""

    content: str


class Complete(ApiStruct, tag_field="type", tag="complete"):
    """Event: the reply is complete and stored. The stream ends."""

    message: Message
    cut_off: Annotated[bool, msgspec.Meta(description="The same as in the message.")]
    usage: Annotated[Usage | None, msgspec.Meta(description="The same as in the message.")]


class Error(ApiStruct, tag_field="type", tag="error", omit_defaults=True):
    """Event: there is no reply, or only an incomplete one. The stream ends."""

    error: str
    code: ReplyErrorCode
    retry_after: Annotated[
        int | None, msgspec.Meta(description="Seconds after which to try again, if known.")
    ] = None


Event = Progress | Delta | Complete | Error


class ErrorDetail(ApiStruct):
    """An invalid field, and the reason."""

    field: str
    reason: str


class ErrorResponse(ApiStruct):
    """An error response."""

    error: Annotated[str, msgspec.Meta(description="Message for people.")]
    code: Annotated[ErrorCode, msgspec.Meta(description="Error code for programs.")]
    details: list[ErrorDetail]
