"""Conversion of stored records and events to API schemas."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from twindow.service.api import avatars, schemas
from twindow.service.conversations import Conversation, Message, reply
from twindow.service.credentials import ApiKey
from twindow.service.twins import Twin

MAX_TIMESTAMP_SECONDS = 253_402_300_799


def twin(record: Twin) -> schemas.Twin:
    """Serialise a twin without its instructions."""
    front_matter = record.front_matter
    return schemas.Twin(
        id=record.id,
        name=front_matter.name,
        description=front_matter.description,
        language=front_matter.language or None,
        avatar_url=avatars.avatar_url(record),
        greeting=front_matter.greeting,
        starters=front_matter.starters,
        created_at=timestamp(record.updated_at),
        updated_at=timestamp(record.updated_at),
    )


def conversation(record: Conversation) -> schemas.Conversation:
    """Serialise a conversation."""
    return schemas.Conversation(
        id=record.id,
        twin_id=record.twin_id,
        title=record.title,
        created_at=timestamp(record.created_at),
        updated_at=timestamp(record.updated_at),
    )


def message(record: Message) -> schemas.Message:
    """Serialise a message or reply."""
    return schemas.Message(
        id=record.id,
        conversation_id=record.conversation_id,
        role=record.role,
        content=record.content,
        created_at=timestamp(record.created_at),
        reply_to=record.reply_to,
        status="complete" if record.complete else "incomplete",
        cut_off=record.cut_off,
        usage=_usage(record),
        sources=msgspec.json.decode(record.sources, type=list[schemas.Source]),
    )


def api_key(record: ApiKey) -> schemas.ApiKey:
    """Serialise a key without its secret, which is not stored."""
    return schemas.ApiKey(
        id=record.id,
        name=record.name,
        scope=record.scope,
        created_at=timestamp(record.created_at),
        expires_at=None if record.expires_at is None else timestamp(record.expires_at),
        last_used_at=None if record.last_used_at is None else timestamp(record.last_used_at),
    )


def api_key_with_secret(record: ApiKey, secret: str) -> schemas.ApiKeyWithSecret:
    """Serialise a new key with its secret."""
    return schemas.ApiKeyWithSecret(**msgspec.structs.asdict(api_key(record)), key=secret)


def event(reply_event: reply.Event) -> schemas.Event:
    """Serialise an event of a reply."""
    match reply_event:
        case reply.Progress(stage, ahead):
            return schemas.Progress(progress=schemas.Stage(stage=stage, percent=None, ahead=ahead))
        case reply.Delta(content):
            return schemas.Delta(content=content)
        case reply.Complete(stored):
            return schemas.Complete(
                message=message(stored), cut_off=stored.cut_off, usage=_usage(stored)
            )
        case reply.Failed(sentence, code, retry_after):
            return schemas.Error(error=sentence, code=code, retry_after=retry_after)


def timestamp(seconds: float) -> str:
    """Format seconds since 1970 as ISO 8601 in UTC, with milliseconds."""
    # A file can have any modification time, but datetime ends with the year 9999.
    iso_time = datetime.fromtimestamp(min(max(seconds, 0), MAX_TIMESTAMP_SECONDS), UTC).isoformat(
        timespec="milliseconds"
    )
    return iso_time.replace("+00:00", "Z")


def _usage(record: Message) -> schemas.Usage | None:
    if record.input_tokens is None or record.output_tokens is None or record.model is None:
        return None
    return schemas.Usage(
        input_tokens=record.input_tokens, output_tokens=record.output_tokens, model=record.model
    )
