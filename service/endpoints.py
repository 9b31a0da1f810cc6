"""The seven endpoints, in the order of the document, and the two that read a history."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, TypeVar

from flask import Blueprint, Response, jsonify, request, url_for

import sse
from service import auth
from service.bodies import (
    NewConversation,
    NewKey,
    NewMessage,
    Paging,
    body,
    idempotency_key,
    paging,
)
from service.conversations import Conversation
from service.current import parts
from service.errors import Problem, not_found
from service.hangup import watch
from service.messages import AnotherMessage, Message, Press, StillReplying
from service.replies import Events
from service.reply import Complete, Delta, Event, Failed, Progress
from service.twins import Twin

bp = Blueprint("service", __name__, url_prefix="/api/v1")

T = TypeVar("T")


@bp.get("/twins")
def list_twins() -> Response:
    """Endpoint 1."""
    auth.read()
    query = paging()
    twins = parts().twins.all()
    start = (query.page - 1) * query.limit
    return _page(twins[start : start + query.limit], _twin, query, len(twins))


@bp.get("/twins/<path:twin_id>")
def show_twin(twin_id: str) -> Response:
    """Endpoint 2."""
    auth.read()
    return jsonify(data=_twin(_found(parts().twins.find(twin_id))))


@bp.post("/conversations")
def create_conversation() -> tuple[Response, int]:
    """Endpoint 3."""
    key = auth.write()
    new = body(NewConversation)
    twin = _found(parts().twins.find(new.twin_id))
    created = parts().conversations.create(key.sub, twin.id, new.title or "")
    return jsonify(data=_conversation(created)), 201


@bp.get("/conversations")
def list_conversations() -> Response:
    """Endpoint 4."""
    key = auth.read()
    query = paging()
    found, total = parts().conversations.of(key.sub, query.twin_id, query.page, query.limit)
    return _page(found, _conversation, query, total)


@bp.get("/conversations/<conversation_id>")
def show_conversation(conversation_id: str) -> Response:
    """Return a conversation (an extension)."""
    key = auth.read()
    found = parts().conversations.find(conversation_id, key.sub)
    return jsonify(data=_conversation(_found(found)))


@bp.get("/conversations/<conversation_id>/messages")
def list_messages(conversation_id: str) -> Response:
    """Return the history of a conversation, oldest first (an extension)."""
    key = auth.read()
    query = paging()
    conversation = _found(parts().conversations.find(conversation_id, key.sub))
    found, total = parts().messages.of(conversation.id, query.page, query.limit)
    return _page(found, _message, query, total)


@bp.post("/conversations/<conversation_id>/messages")
def send(conversation_id: str) -> tuple[Response, int]:
    """Endpoint 5."""
    said, events = _begin(conversation_id)
    for event in events(watch(request.environ)):
        match event:
            case Complete(message):
                response = jsonify(data=_message(message))
                response.headers["Location"] = _place_of(said)
                return response, 201
            case Failed(sentence, code):
                raise Problem(502, code, sentence)
    raise Problem(502, "model_failed", "The client has gone.")


@bp.post("/conversations/<conversation_id>/messages/stream")
def stream(conversation_id: str) -> Response:
    """Endpoint 6."""
    said, events = _begin(conversation_id)
    has_hung_up = watch(request.environ)

    def frames() -> Iterator[str]:
        last: Event = Progress("thinking")
        for event in events(has_hung_up):
            if event is None:
                yield sse.HEARTBEAT
                if not isinstance(last, Progress):
                    continue
            # Progress comes again beside the comment: clients give up a reply without events.
            last = event or last
            yield sse.frame(json.dumps(_event(last)))

    return Response(frames(), headers=sse.HEADERS | {"Location": _place_of(said)})


@bp.delete("/conversations/<conversation_id>/messages/<message_id>")
def stop(conversation_id: str, message_id: str) -> tuple[str, int]:
    """Stop the reply to a message; what has been written is kept (an extension)."""
    key = auth.write()
    conversation = _found(parts().conversations.find(conversation_id, key.sub))
    parts().replies.stop(_found(parts().messages.find(conversation.id, message_id)))
    return "", 204


@bp.post("/auth/api-keys")
def create_key() -> tuple[Response, int]:
    """Endpoint 7."""
    sub = auth.token()
    new = body(NewKey)
    key, secret = parts().keys.make(sub, new.name, new.scope)
    data = {
        "id": key.id,
        "name": key.name,
        "scope": key.scope,
        "key": secret,
        "createdAt": _iso(key.created_at),
        "expiresAt": None,
    }
    return jsonify(data=data), 201


def _begin(conversation_id: str) -> tuple[Message, Events]:
    key = auth.write()
    new = body(NewMessage)
    if not new.content.strip():
        raise Problem(422, "invalid", "content: there is nothing in it.")
    conversation = _found(parts().conversations.find(conversation_id, key.sub))
    twin = _found(parts().twins.find(conversation.twin_id))
    once = idempotency_key()
    press = Press(key.sub, once) if once else None
    try:
        return parts().replies.begin(conversation, twin, new.content, press)
    except StillReplying:
        sentence = "A reply is being written in this conversation; wait for its end."
        raise Problem(409, "still_replying", sentence) from None
    except AnotherMessage:
        sentence = "This Idempotency-Key was used for another message."
        raise Problem(422, "idempotency_key_reused", sentence) from None


def _place_of(said: Message) -> str:
    return url_for("service.stop", conversation_id=said.conversation_id, message_id=said.id)


def _found(found: T | None) -> T:
    if found is None:
        raise not_found()
    return found


def _page(
    items: Sequence[T], write: Callable[[T], Mapping[str, Any]], query: Paging, total: int
) -> Response:
    pagination = {
        "page": query.page,
        "limit": query.limit,
        "total": total,
        "pages": -(-total // query.limit),
    }
    return jsonify(data=[write(item) for item in items], pagination=pagination)


def _twin(twin: Twin) -> Mapping[str, Any]:
    about = twin.about
    return {
        "id": twin.id,
        "name": about.name,
        "description": about.description,
        "avatarUrl": about.avatar,
        "greeting": about.greeting,
        "starters": about.starters,
        "createdAt": _iso(twin.updated_at),
        "updatedAt": _iso(twin.updated_at),
    }


def _conversation(conversation: Conversation) -> Mapping[str, Any]:
    return {
        "id": conversation.id,
        "twinId": conversation.twin_id,
        "title": conversation.title,
        "createdAt": _iso(conversation.created_at),
        "updatedAt": _iso(conversation.updated_at),
    }


def _message(message: Message) -> Mapping[str, Any]:
    return {
        "id": message.id,
        "conversationId": message.conversation_id,
        "role": message.role,
        "content": message.content,
        "createdAt": _iso(message.created_at),
        "replyTo": message.reply_to,
        "status": "complete" if message.complete else "incomplete",
    }


def _event(event: Event) -> Mapping[str, Any]:
    match event:
        case Progress(stage, ahead):
            place = {} if ahead is None else {"ahead": ahead}
            return {"type": "progress", "progress": {"stage": stage, "percent": None} | place}
        case Delta(content):
            return {"type": "delta", "content": content}
        case Complete(message):
            return {"type": "complete", "message": _message(message)}
        case Failed(sentence, code):
            return {"type": "error", "error": sentence, "code": code}


def _iso(seconds: float) -> str:
    time = datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds")
    return time.replace("+00:00", "Z")
