"""Messages and their replies: endpoints 5 and 6."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from flask import Response, request, url_for

from core import sse
from service.api import schemas, serializers
from service.api.auth import Caller
from service.api.blueprint import conversation_of, found, operations, page_of, twin_for
from service.api.client_disconnect import watch
from service.api.errors import STATUS_OF, Problem
from service.api.operations import written
from service.api.requests import NewMessage, Paging, idempotency_key
from service.api.schemas import One, Page
from service.container import parts
from service.conversations.messages import AnotherMessage, Message, Press, StillReplying
from service.conversations.reply import Complete, Event, Failed, Progress
from service.conversations.reply_manager import Events

ONCE = {"Idempotency-Key": "One press of the button: a repeat within 24 hours is the same message."}
PLACE = {"Location": "The address of the message that was said: DELETE it, and its reply stops."}


@operations.add(
    "GET",
    "/conversations/<conversation_id>/messages",
    needs="read_only",
    query=Paging,
    answer=Page[schemas.Message],
)
def list_messages(caller: Caller, conversation_id: str, query: Paging) -> Page[schemas.Message]:
    """Read the history of a conversation, oldest first."""
    conversation = conversation_of(caller, conversation_id)
    listed, total = parts().messages.of(conversation.id, query.page, query.limit)
    return page_of(listed, serializers.message, query, total)


@operations.add(
    "POST",
    "/conversations/<conversation_id>/messages",
    number=5,
    needs="full_access",
    body=NewMessage,
    headers=ONCE,
    gives=PLACE,
    answer=One[schemas.Message],
    status=201,
    also=(409, 502),
)
def send_message(caller: Caller, conversation_id: str, new: NewMessage) -> Response:
    """Send a message, and get the reply when it is whole."""
    said, events = _begin(caller, conversation_id, new)
    for event in events(watch(request.environ)):
        match event:
            case Complete(message):
                response = written(One(data=serializers.message(message)), 201)
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
    answer=schemas.Event,
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
            yield sse.frame(msgspec.json.encode(serializers.event(last)).decode())

    return Response(frames(), headers=sse.HEADERS | {"Location": _place_of(said)})


@operations.add(
    "DELETE",
    "/conversations/<conversation_id>/messages/<string(minlength=8):message_id>",
    needs="full_access",
    status=204,
)
def stop_reply(caller: Caller, conversation_id: str, message_id: str) -> None:
    """Stop the reply to a message; what has been written is kept."""
    conversation = conversation_of(caller, conversation_id)
    parts().replies.stop(found(parts().messages.find(conversation.id, message_id)))


def _begin(caller: Caller, conversation_id: str, new: NewMessage) -> tuple[Message, Events]:
    conversation = conversation_of(caller, conversation_id)
    twin = twin_for(caller, conversation.twin_id)
    once = idempotency_key()
    press = Press(caller.sub, once) if once else None
    try:
        return parts().replies.begin(conversation, twin, new.content, press)
    except StillReplying:
        raise Problem(409, "still_replying") from None
    except AnotherMessage:
        raise Problem(422, "idempotency_key_reused") from None


def _place_of(said: Message) -> str:
    return url_for("service.stop_reply", conversation_id=said.conversation_id, message_id=said.id)
