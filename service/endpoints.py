"""The seven endpoints, in the order of the document, and our extensions beside their kin."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import msgspec
from flask import Blueprint, Response, request, url_for

import sse
from service import resources, shown
from service.auth import Caller
from service.bodies import (
    NewConversation,
    NewKey,
    NewMessage,
    Paging,
    TwinPaging,
    idempotency_key,
)
from service.conversations import Conversation
from service.current import parts
from service.errors import STATUS_OF, Problem, not_found
from service.hangup import watch
from service.keys import TooManyKeys
from service.messages import AnotherMessage, Message, Press, StillReplying
from service.operations import Operations, written
from service.replies import Events
from service.reply import Complete, Event, Failed, Progress
from service.resources import One, Page, Pagination
from service.twin import Twin

bp = Blueprint("service", __name__, url_prefix="/api/v1")
operations = Operations(bp)

T = TypeVar("T")
R = TypeVar("R")

ONCE = {"Idempotency-Key": "One press of the button: a repeat within 24 hours is the same message."}
PLACE = {"Location": "The address of the message that was said: DELETE it, and its reply stops."}


@operations.add(
    "GET", "/twins", number=1, needs="read_only", query=Paging, answer=Page[resources.Twin]
)
def list_twins(caller: Caller, query: Paging) -> Page[resources.Twin]:
    """List the twins that you may talk with."""
    twins = parts().twins.all_for(caller.sub, caller.groups)
    start = (query.page - 1) * query.limit
    return _page(twins[start : start + query.limit], shown.twin, query, len(twins))


@operations.add(
    "GET", "/twins/<path:twin_id>", number=2, needs="read_only", answer=One[resources.Twin]
)
def show_twin(caller: Caller, twin_id: str) -> One[resources.Twin]:
    """Read one twin."""
    return One(data=shown.twin(_twin(caller, twin_id)))


@operations.add(
    "POST",
    "/conversations",
    number=3,
    needs="full_access",
    body=NewConversation,
    answer=One[resources.Conversation],
    status=201,
    also=(404,),
)
def create_conversation(caller: Caller, new: NewConversation) -> One[resources.Conversation]:
    """Begin a conversation with a twin."""
    twin = _twin(caller, new.twin_id)
    created = parts().conversations.create(caller.sub, twin.id, new.title or "")
    return One(data=shown.conversation(created))


@operations.add(
    "GET",
    "/conversations",
    number=4,
    needs="read_only",
    query=TwinPaging,
    answer=Page[resources.Conversation],
)
def list_conversations(caller: Caller, query: TwinPaging) -> Page[resources.Conversation]:
    """List your conversations; the one that was spoken in last comes first."""
    found, total = parts().conversations.of(caller.sub, query.twin_id, query.page, query.limit)
    return _page(found, shown.conversation, query, total)


@operations.add(
    "GET",
    "/conversations/<conversation_id>",
    needs="read_only",
    answer=One[resources.Conversation],
)
def show_conversation(caller: Caller, conversation_id: str) -> One[resources.Conversation]:
    """Read one conversation."""
    return One(data=shown.conversation(_mine(caller, conversation_id)))


@operations.add(
    "GET",
    "/conversations/<conversation_id>/messages",
    needs="read_only",
    query=Paging,
    answer=Page[resources.Message],
)
def list_messages(caller: Caller, conversation_id: str, query: Paging) -> Page[resources.Message]:
    """Read the history of a conversation, oldest first."""
    conversation = _mine(caller, conversation_id)
    found, total = parts().messages.of(conversation.id, query.page, query.limit)
    return _page(found, shown.message, query, total)


@operations.add(
    "POST",
    "/conversations/<conversation_id>/messages",
    number=5,
    needs="full_access",
    body=NewMessage,
    headers=ONCE,
    gives=PLACE,
    answer=One[resources.Message],
    status=201,
    also=(409, 502),
)
def send_message(caller: Caller, conversation_id: str, new: NewMessage) -> Response:
    """Send a message, and get the reply when it is whole."""
    said, events = _begin(caller, conversation_id, new)
    for event in events(watch(request.environ)):
        match event:
            case Complete(message):
                response = written(One(data=shown.message(message)), 201)
                response.headers["Location"] = _place_of(said)
                return response
            case Failed(sentence, code):
                raise Problem(STATUS_OF[code], code, sentence)
    raise Problem(502, "model_failed", "The client has gone.")


@operations.add(
    "POST",
    "/conversations/<conversation_id>/messages/stream",
    number=6,
    needs="full_access",
    body=NewMessage,
    headers=ONCE,
    gives=PLACE,
    answer=resources.Event,
    also=(409,),
    stream=True,
)
def stream_message(caller: Caller, conversation_id: str, new: NewMessage) -> Response:
    """Send a message, and get the reply as server-sent events while it is written."""
    said, events = _begin(caller, conversation_id, new)
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
            yield sse.frame(msgspec.json.encode(shown.event(last)).decode())

    return Response(frames(), headers=sse.HEADERS | {"Location": _place_of(said)})


@operations.add(
    "DELETE",
    "/conversations/<conversation_id>/messages/<string(minlength=8):message_id>",
    needs="full_access",
    status=204,
)
def stop_reply(caller: Caller, conversation_id: str, message_id: str) -> None:
    """Stop the reply to a message; what has been written is kept."""
    conversation = _mine(caller, conversation_id)
    parts().replies.stop(_found(parts().messages.find(conversation.id, message_id)))


@operations.add(
    "POST",
    "/auth/api-keys",
    number=7,
    needs="a JWT",
    body=NewKey,
    answer=One[resources.NewApiKey],
    status=201,
    also=(409,),
)
def create_key(caller: Caller, new: NewKey) -> One[resources.NewApiKey]:
    """Make an API key; its secret is shown this once."""
    until = time.time() + new.expires_in if new.expires_in else None
    try:
        key, secret = parts().keys.make(
            caller.sub, new.name, new.scope, groups=caller.groups, expires_at=until
        )
    except TooManyKeys as error:
        raise Problem(409, "too_many_keys", str(error)) from None
    return One(data=shown.new_key(key, secret))


@operations.add("GET", "/auth/api-keys", needs="a JWT", query=Paging, answer=Page[resources.ApiKey])
def list_keys(caller: Caller, query: Paging) -> Page[resources.ApiKey]:
    """List your API keys, newest first."""
    found, total = parts().keys.of(caller.sub, query.page, query.limit)
    return _page(found, shown.key, query, total)


@operations.add("DELETE", "/auth/api-keys/<key_id>", needs="a JWT", status=204)
def revoke_key(caller: Caller, key_id: str) -> None:
    """Revoke one of your API keys; it is worth nothing from now on."""
    if not parts().keys.revoke(caller.sub, key_id):
        raise not_found()


def _begin(caller: Caller, conversation_id: str, new: NewMessage) -> tuple[Message, Events]:
    conversation = _mine(caller, conversation_id)
    twin = _twin(caller, conversation.twin_id)
    once = idempotency_key()
    press = Press(caller.sub, once) if once else None
    try:
        return parts().replies.begin(conversation, twin, new.content, press)
    except StillReplying:
        raise Problem(409, "still_replying") from None
    except AnotherMessage:
        raise Problem(422, "idempotency_key_reused") from None


def _twin(caller: Caller, twin_id: str) -> Twin:
    return _found(parts().twins.find_for(twin_id, caller.sub, caller.groups))


def _mine(caller: Caller, conversation_id: str) -> Conversation:
    return _found(parts().conversations.find(conversation_id, caller.sub))


def _place_of(said: Message) -> str:
    return url_for("service.stop_reply", conversation_id=said.conversation_id, message_id=said.id)


def _found(found: T | None) -> T:
    if found is None:
        raise not_found()
    return found


def _page(items: Sequence[T], write: Callable[[T], R], query: Paging, total: int) -> Page[R]:
    pages = -(-total // query.limit)
    pagination = Pagination(page=query.page, limit=query.limit, total=total, pages=pages)
    return Page(data=[write(item) for item in items], pagination=pagination)
