"""Conversations: endpoints 3 and 4."""

from __future__ import annotations

from service.api import schemas, serializers
from service.api.auth import Caller
from service.api.blueprint import conversation_of, operations, page_of, twin_for
from service.api.requests import NewConversation, TwinPaging
from service.api.schemas import One, Page
from service.container import parts


@operations.add(
    "POST",
    "/conversations",
    number=3,
    needs="full_access",
    body=NewConversation,
    answer=One[schemas.Conversation],
    status=201,
    also=(404,),
)
def create_conversation(caller: Caller, new: NewConversation) -> One[schemas.Conversation]:
    """Begin a conversation with a twin."""
    twin = twin_for(caller, new.twin_id)
    created = parts().conversations.create(caller.sub, twin.id, new.title or "")
    return One(data=serializers.conversation(created))


@operations.add(
    "GET",
    "/conversations",
    number=4,
    needs="read_only",
    query=TwinPaging,
    answer=Page[schemas.Conversation],
)
def list_conversations(caller: Caller, query: TwinPaging) -> Page[schemas.Conversation]:
    """List your conversations; the one that was spoken in last comes first."""
    listed, total = parts().conversations.of(caller.sub, query.twin_id, query.page, query.limit)
    return page_of(listed, serializers.conversation, query, total)


@operations.add(
    "GET",
    "/conversations/<conversation_id>",
    needs="read_only",
    answer=One[schemas.Conversation],
)
def show_conversation(caller: Caller, conversation_id: str) -> One[schemas.Conversation]:
    """Read one conversation."""
    return One(data=serializers.conversation(conversation_of(caller, conversation_id)))
