"""Messages and their replies."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from flask import Response, request, url_for

from twindow.core import sse
from twindow.service.api import schemas, serializers
from twindow.service.api.blueprint import build_page, get_conversation, get_twin, operations, or_404
from twindow.service.api.client_disconnect import make_disconnect_check
from twindow.service.api.errors import STATUS_BY_CODE, ApiError
from twindow.service.api.operations import created_response
from twindow.service.api.requests import (
    IDEMPOTENCY_HEADER,
    NewMessage,
    PageQuery,
    read_idempotency_key,
)
from twindow.service.api.schemas import ItemResponse, PageResponse
from twindow.service.container import container
from twindow.service.conversations import (
    Complete,
    Event,
    Failed,
    Message,
    Progress,
    ReplyEvents,
    StillReplying,
)
from twindow.service.credentials import Identity
from twindow.service.idempotency import IdempotencyKeyReused

# A reconnection would send the message again. `NEVER_RECONNECT_MS` is the longest delay that
# timers of clients accept.
NEVER_RECONNECT_MS = 2**31 - 1
# When a client may ask again whether the reply in progress has ended.
RETRY_AFTER_SECONDS = 5
# The minimum length excludes "stream", so that a GET of `/messages/stream` returns 405.
MESSAGE_PATH = "/conversations/<conversation_id>/messages/<string(minlength=8):message_id>"


@operations.route(
    "GET",
    "/conversations/<conversation_id>/messages",
    required_credential="read_only",
    query=PageQuery,
    response_type=PageResponse[schemas.Message],
)
def list_messages(
    caller: Identity, conversation_id: str, query: PageQuery
) -> PageResponse[schemas.Message]:
    """List the messages of a conversation, oldest first."""
    conversation = get_conversation(caller, conversation_id)
    page = container().messages.list_page(conversation.id, query.page, query.limit)
    return build_page(page, serializers.message, query)


@operations.route(
    "GET",
    MESSAGE_PATH,
    required_credential="read_only",
    response_type=ItemResponse[schemas.Message],
)
def show_message(
    caller: Identity, conversation_id: str, message_id: str
) -> ItemResponse[schemas.Message]:
    """Retrieve a message."""
    conversation = get_conversation(caller, conversation_id)
    message = or_404(container().messages.find(conversation.id, message_id))
    return ItemResponse(data=serializers.message(message))


@operations.route(
    "POST",
    "/conversations/<conversation_id>/messages",
    spec_number=5,
    required_credential="full_access",
    body=NewMessage,
    request_headers=IDEMPOTENCY_HEADER,
    response_type=ItemResponse[schemas.Message],
    status=201,
)
def send_message(caller: Identity, conversation_id: str, body: NewMessage) -> Response:
    """Send a message and wait for the full reply."""
    message, follow_reply = _start_reply(caller, conversation_id, body)
    for event in follow_reply(make_disconnect_check(request.environ)):
        match event:
            case Complete(reply):
                url = _message_url(message.conversation_id, message.id)
                return created_response(ItemResponse(data=serializers.message(reply)), url)
            case Failed(sentence, code, retry_after):
                headers = {"Retry-After": str(retry_after)} if retry_after else {}
                raise ApiError(STATUS_BY_CODE[code], code, sentence, headers=headers)
    raise ApiError(502, "model_failed", "The client disconnected.")


@operations.route(
    "POST",
    "/conversations/<conversation_id>/messages/stream",
    spec_number=6,
    required_credential="full_access",
    body=NewMessage,
    request_headers=IDEMPOTENCY_HEADER,
    response_type=schemas.Event,
    is_stream=True,
)
def stream_message(caller: Identity, conversation_id: str, body: NewMessage) -> Response:
    """Send a message and stream the reply as server-sent events."""
    message, follow_reply = _start_reply(caller, conversation_id, body)
    is_disconnected = make_disconnect_check(request.environ)

    def frames() -> Iterator[str]:
        retry: int | None = NEVER_RECONNECT_MS
        last_event: Event = Progress("thinking")
        for event in follow_reply(is_disconnected):
            if event is None:
                yield sse.KEEPALIVE
                if not isinstance(last_event, Progress):
                    continue
            # Repeat the last progress event after the keepalive comment: clients may abandon a
            # reply that sends no events.
            last_event = event or last_event
            if isinstance(last_event, Complete | Failed):
                retry = NEVER_RECONNECT_MS
            data = msgspec.json.encode(serializers.event(last_event)).decode()
            yield sse.frame(data, retry=retry)
            retry = None

    url = _message_url(message.conversation_id, message.id)
    headers = sse.HEADERS | {"Location": url, "Link": f'<{url}>; rel="cancel"'}
    return Response(frames(), headers=headers)


@operations.route(
    "DELETE",
    MESSAGE_PATH,
    required_credential="full_access",
    status=204,
)
def stop_reply(caller: Identity, conversation_id: str, message_id: str) -> None:
    """Stop the reply to a message and keep the text so far."""
    conversation = get_conversation(caller, conversation_id)
    container().reply_manager.stop(or_404(container().messages.find(conversation.id, message_id)))


def _start_reply(
    caller: Identity, conversation_id: str, body: NewMessage
) -> tuple[Message, ReplyEvents]:
    conversation = get_conversation(caller, conversation_id)
    twin = get_twin(caller, conversation.twin_id)
    idempotency_key = read_idempotency_key(caller.sub)
    try:
        return container().reply_manager.start(conversation, twin, body.content, idempotency_key)
    except IdempotencyKeyReused:
        raise ApiError(422, "idempotency_key_reused") from None
    except StillReplying as error:
        url = _message_url(conversation.id, error.message_id)
        raise ApiError(
            409,
            "still_replying",
            "A reply is in progress in this conversation. Try again when it has ended, or "
            f"stop it with DELETE {url}.",
            headers={"Link": f'<{url}>; rel="cancel"', "Retry-After": str(RETRY_AFTER_SECONDS)},
        ) from None


def _message_url(conversation_id: str, message_id: str) -> str:
    return url_for("service.stop_reply", conversation_id=conversation_id, message_id=message_id)
