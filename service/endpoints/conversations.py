"""Conversations: endpoints 3 and 4."""

from __future__ import annotations

from service import resources, shown
from service.auth import Caller
from service.bodies import NewConversation, TwinPaging
from service.current import parts
from service.endpoints.api import conversation_of, operations, page_of, twin_for
from service.resources import One, Page


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
    twin = twin_for(caller, new.twin_id)
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
    listed, total = parts().conversations.of(caller.sub, query.twin_id, query.page, query.limit)
    return page_of(listed, shown.conversation, query, total)


@operations.add(
    "GET",
    "/conversations/<conversation_id>",
    needs="read_only",
    answer=One[resources.Conversation],
)
def show_conversation(caller: Caller, conversation_id: str) -> One[resources.Conversation]:
    """Read one conversation."""
    return One(data=shown.conversation(conversation_of(caller, conversation_id)))
