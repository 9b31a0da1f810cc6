"""Conversations with a twin."""

from __future__ import annotations

from flask import Response, url_for

from twindow.service.api import schemas, serializers
from twindow.service.api.blueprint import build_page, get_conversation, get_twin, operations
from twindow.service.api.operations import created_response
from twindow.service.api.requests import ConversationQuery, NewConversation
from twindow.service.api.schemas import ItemResponse, PageResponse
from twindow.service.container import container
from twindow.service.credentials import Identity


@operations.route(
    "POST",
    "/conversations",
    spec_number=3,
    required_credential="full_access",
    body=NewConversation,
    response_type=ItemResponse[schemas.Conversation],
    status=201,
)
def create_conversation(caller: Identity, body: NewConversation) -> Response:
    """Create a conversation with a twin."""
    twin = get_twin(caller, body.twin_id)
    conversation = container().conversations.create(caller.sub, twin.id, body.title or "")
    url = url_for("service.show_conversation", conversation_id=conversation.id)
    response = created_response(ItemResponse(data=serializers.conversation(conversation)), url)
    response.headers["Link"] = f'<{url}>; rel="delete"'
    return response


@operations.route(
    "GET",
    "/conversations",
    spec_number=4,
    required_credential="read_only",
    query=ConversationQuery,
    response_type=PageResponse[schemas.Conversation],
)
def list_conversations(
    caller: Identity, query: ConversationQuery
) -> PageResponse[schemas.Conversation]:
    """List your conversations, newest first."""
    page = container().conversations.list_page(caller.sub, query.twin_id, query.page, query.limit)
    return build_page(page, serializers.conversation, query)


@operations.route(
    "GET",
    "/conversations/<conversation_id>",
    required_credential="read_only",
    response_type=ItemResponse[schemas.Conversation],
)
def show_conversation(caller: Identity, conversation_id: str) -> ItemResponse[schemas.Conversation]:
    """Retrieve a conversation."""
    return ItemResponse(data=serializers.conversation(get_conversation(caller, conversation_id)))


@operations.route(
    "DELETE", "/conversations/<conversation_id>", required_credential="full_access", status=204
)
def delete_conversation(caller: Identity, conversation_id: str) -> None:
    """Delete a conversation with its messages; a running reply stops."""
    conversation = get_conversation(caller, conversation_id)
    container().reply_manager.stop_all_in(conversation)
    container().conversations.delete(conversation)
