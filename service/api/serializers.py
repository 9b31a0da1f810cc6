"""What is shown of what the service keeps, and how."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from service.access.api_keys import Key
from service.api import avatars, schemas
from service.conversations import reply
from service.conversations.conversations import Conversation
from service.conversations.messages import Message
from service.twins.twin import Twin

LAST_SECOND = 253_402_300_799


def twin(found: Twin) -> schemas.Twin:
    """Show a twin, without what it is told about itself."""
    about = found.about
    return schemas.Twin(
        id=found.id,
        name=about.name,
        description=about.description,
        language=about.language or None,
        avatar_url=avatars.url_of(found),
        greeting=about.greeting,
        starters=about.starters,
        created_at=time(found.updated_at),
        updated_at=time(found.updated_at),
    )


def conversation(found: Conversation) -> schemas.Conversation:
    """Show a conversation."""
    return schemas.Conversation(
        id=found.id,
        twin_id=found.twin_id,
        title=found.title,
        created_at=time(found.created_at),
        updated_at=time(found.updated_at),
    )


def message(found: Message) -> schemas.Message:
    """Show a message."""
    return schemas.Message(
        id=found.id,
        conversation_id=found.conversation_id,
        role=found.role,
        content=found.content,
        created_at=time(found.created_at),
        reply_to=found.reply_to,
        status="complete" if found.complete else "incomplete",
    )


def key(found: Key) -> schemas.ApiKey:
    """Show a key, without its secret, which is not kept."""
    return schemas.ApiKey(**_of_key(found))


def new_key(made: Key, secret: str) -> schemas.NewApiKey:
    """Show a key with its secret, this once."""
    return schemas.NewApiKey(**_of_key(made), key=secret)


def event(happened: reply.Event) -> schemas.Event:
    """Show what happens to a reply."""
    match happened:
        case reply.Progress(stage, ahead):
            return schemas.Progress(progress=schemas.Stage(stage=stage, percent=None, ahead=ahead))
        case reply.Delta(content):
            return schemas.Delta(content=content)
        case reply.Complete(whole, cut_off):
            return schemas.Complete(message=message(whole), cut_off=cut_off)
        case reply.Failed(sentence, code):
            return schemas.Error(error=sentence, code=code)


def time(seconds: float) -> str:
    """Write a time; `seconds` since 1970."""
    # A file may claim to be of any time; there are no names for those after the year 9999.
    written = datetime.fromtimestamp(min(max(seconds, 0), LAST_SECOND), UTC).isoformat(
        timespec="milliseconds"
    )
    return written.replace("+00:00", "Z")


def _of_key(found: Key) -> dict[str, Any]:
    return {
        "id": found.id,
        "name": found.name,
        "scope": found.scope,
        "created_at": time(found.created_at),
        "expires_at": None if found.expires_at is None else time(found.expires_at),
        "last_used_at": None if found.last_used_at is None else time(found.last_used_at),
    }
